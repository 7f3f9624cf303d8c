#include "core/table.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace incrowd {
namespace {
// One more than the largest code of a column; a negative code is a very large unsigned one.
int64_t size_of(std::span<const int32_t> codes) {
    uint32_t largest = 0;
    for (const int32_t code : codes) largest = std::max(largest, static_cast<uint32_t>(code));
    if (largest > uint32_t{std::numeric_limits<int32_t>::max()})
        throw std::invalid_argument("Table: a code is out of range");
    return codes.empty() ? 0 : int64_t{largest} + 1;
}
}  // namespace

Table::Table(Tuples tuples, size_t columns, std::shared_ptr<const void> owner)
    : tuples_(tuples), owner_(std::move(owner)) {
    const size_t n = tuples.size();
    if (n > std::numeric_limits<int32_t>::max())
        throw std::invalid_argument("Table: too many tuples");
    if (tuples.codes.size() != columns * n)
        throw std::invalid_argument("Table: one count per tuple is needed");
    for (const int64_t each : tuples.records)
        if (each < 1 || __builtin_add_overflow(n_records_, each, &n_records_))
            throw std::invalid_argument(
                "Table: a count is out of range: a tuple has no records, or too many");
    for (size_t j = 0; j < columns; ++j) sizes_.push_back(size_of(tuples.codes.subspan(j * n, n)));
}
}  // namespace incrowd
