#include "core/grouping.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/key_numbering.hpp"

namespace incrowd {
namespace {
// How many columns from `start` on fit into one key beside a digit of `groups` values.
size_t columns_that_fit(std::span<const int64_t> sizes, size_t start, uint64_t groups) {
    uint64_t product = groups;
    size_t end = start;
    while (end < sizes.size() && product <= (kKeyLimit - 1) / static_cast<uint64_t>(sizes[end])) {
        product *= static_cast<uint64_t>(sizes[end]);
        ++end;
    }
    return end;
}

void check(std::span<const int32_t> codes, std::span<const int64_t> sizes, size_t n) {
    if (n > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        throw std::invalid_argument("group: more than 2^31 - 1 rows");
    for (size_t j = 0; j < sizes.size(); ++j) {
        const int64_t size = sizes[j];
        if (size < 1 || size > std::numeric_limits<int32_t>::max())
            throw std::invalid_argument("group: a column size is out of range");
        uint32_t largest = 0;  // a negative code is a very large unsigned one
        for (size_t i = 0; i < n; ++i)
            largest = std::max(largest, static_cast<uint32_t>(codes[j * n + i]));
        if (n && largest >= static_cast<uint64_t>(size))
            throw std::invalid_argument("group: a code is out of range");
    }
}
}  // namespace

Grouping group_columns(std::span<const int32_t> codes, std::span<const int64_t> sizes, size_t n) {
    check(codes, sizes, n);
    Grouping result{std::vector<int32_t>(n, 0), {}};
    std::vector<uint64_t> keys(n);
    KeyNumbering numbering;
    uint64_t groups = 1;
    size_t start = 0;
    do {
        const size_t end = columns_that_fit(sizes, start, groups);
        uint64_t key_space = groups;
        for (size_t i = 0; i < n; ++i) keys[i] = static_cast<uint64_t>(result.group_of[i]);
        for (size_t j = start; j < end; ++j) {
            const auto size = static_cast<uint64_t>(sizes[j]);
            const int32_t* column = codes.data() + j * n;
            for (size_t i = 0; i < n; ++i)
                keys[i] = keys[i] * size + static_cast<uint64_t>(column[i]);
            key_space *= size;
        }
        const int32_t found = numbering.number(keys.data(), n, key_space, result.group_of.data());
        groups = std::max<uint64_t>(1, static_cast<uint64_t>(found));
        start = end;
    } while (start < sizes.size());
    for (size_t i = 0; i < n; ++i)
        if (static_cast<size_t>(result.group_of[i]) == result.first.size())
            result.first.push_back(static_cast<int64_t>(i));
    return result;
}
}  // namespace incrowd
