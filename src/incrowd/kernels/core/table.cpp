#include "core/table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace incrowd {
// A negative code is a very large unsigned one.
std::optional<int64_t> size_of(std::span<const int32_t> codes) {
    std::array<uint32_t, 16> largest{};  // so many at once: one would wait for the one before it
    const size_t whole = codes.size() - codes.size() % largest.size();
    for (size_t i = 0; i < whole; i += largest.size())
        for (size_t lane = 0; lane < largest.size(); ++lane)
            largest[lane] = std::max(largest[lane], static_cast<uint32_t>(codes[i + lane]));
    for (const int32_t code : codes.subspan(whole))
        largest[0] = std::max(largest[0], static_cast<uint32_t>(code));
    const uint32_t most = std::ranges::max(largest);
    if (most > uint32_t{std::numeric_limits<int32_t>::max()}) return std::nullopt;
    return codes.empty() ? 0 : int64_t{most} + 1;
}

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
    for (size_t j = 0; j < columns; ++j) {
        const auto size = size_of(tuples.codes.subspan(j * n, n));
        if (!size) throw std::invalid_argument("Table: a code is out of range");
        sizes_.push_back(*size);
    }
}
}  // namespace incrowd
