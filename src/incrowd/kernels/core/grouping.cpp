#include "core/grouping.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/key_numbering.hpp"
#include "core/key_table.hpp"

namespace incrowd {
namespace {
constexpr size_t kRowsAtOnce = 4096;  // their keys stay in the cache

// How many columns from `start` on fit into one key beside a digit of `groups` values.
size_t columns_that_fit(std::span<const RowCodes> columns, size_t start, uint64_t groups) {
    uint64_t product = groups;
    size_t end = start;
    while (end < columns.size() &&
           product <= (kKeyLimit - 1) / static_cast<uint64_t>(columns[end].size)) {
        product *= static_cast<uint64_t>(columns[end].size);
        ++end;
    }
    return end;
}

void check(std::span<const RowCodes> columns, size_t n) {
    if (n > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        throw std::invalid_argument("group: more than 2^31 - 1 rows");
    for (const RowCodes& column : columns) {
        if (column.size < 1 || column.size > std::numeric_limits<int32_t>::max())
            throw std::invalid_argument("group: a column size is out of range");
        for (size_t at = 0; at < column.meaning.size(); ++at) {
            const int64_t least = at + 1 < column.meaning.size() ? 0 : -1;
            if (column.meaning[at] < least || column.meaning[at] >= column.size)
                throw std::invalid_argument("group: a code is out of range");
        }
    }
}

// Adds one digit to each key; a code that is out of range is refused before anything is looked up.
template <typename Code>
void add_digits(std::span<const Code> codes, const RowCodes& column, uint64_t* keys) {
    const auto size = static_cast<uint64_t>(column.size);
    const bool plain = column.meaning.empty();
    const uint64_t before = !plain && column.meaning.back() >= 0;  // whether there may be a -1
    const uint64_t limit = plain ? size : column.meaning.size() - 1 + before;
    uint64_t largest = 0;  // a negative number is a very large unsigned one
    for (const Code code : codes)
        largest = std::max(largest, static_cast<uint64_t>(int64_t{code}) + before);
    if (!codes.empty() && largest >= limit)
        throw std::invalid_argument("group: a code is out of range");
    if (plain) {
        for (size_t i = 0; i < codes.size(); ++i)
            keys[i] = keys[i] * size + static_cast<uint64_t>(codes[i]);
        return;
    }
    const int32_t* meaning = column.meaning.data();
    const auto last = static_cast<int64_t>(column.meaning.size()) - 1;
    for (size_t i = 0; i < codes.size(); ++i) {
        const int64_t at = codes[i] < 0 ? last : int64_t{codes[i]};
        keys[i] = keys[i] * size + static_cast<uint64_t>(meaning[at]);
    }
}
}  // namespace

Grouping group_rows(std::span<const RowCodes> columns, size_t n) {
    check(columns, n);
    Grouping result{std::vector<int32_t>(n, 0), {}};
    std::vector<uint64_t> keys(std::min(n, kRowsAtOnce));
    uint64_t groups = 1;
    size_t start = 0;
    do {
        const size_t end = columns_that_fit(columns, start, groups);
        uint64_t key_space = groups;
        for (size_t j = start; j < end; ++j) key_space *= static_cast<uint64_t>(columns[j].size);
        KeyTable table(key_space, n);
        for (size_t row = 0; row < n; row += kRowsAtOnce) {
            const size_t rows = std::min(kRowsAtOnce, n - row);
            int32_t* group_of = result.group_of.data() + row;
            for (size_t i = 0; i < rows; ++i) keys[i] = static_cast<uint64_t>(group_of[i]);
            for (size_t j = start; j < end; ++j)
                std::visit(
                    [&](auto codes) {
                        add_digits(codes.subspan(row, rows), columns[j], keys.data());
                    },
                    columns[j].codes);
            table.number(std::span(keys.data(), rows), row, group_of);
        }
        result.first = std::move(table.first());
        groups = std::max<uint64_t>(1, result.first.size());
        start = end;
    } while (start < columns.size());
    return result;
}
}  // namespace incrowd
