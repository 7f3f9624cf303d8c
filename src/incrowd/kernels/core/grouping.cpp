#include "core/grouping.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/arrays.hpp"
#include "core/key_numbering.hpp"

namespace incrowd {

namespace {

// How many columns from `start` on fit into one key beside a digit of `groups` values.
std::size_t columns_that_fit(std::span<const std::int64_t> sizes, std::size_t start,
                             std::uint64_t groups) {
    std::uint64_t product = groups;
    std::size_t end = start;
    while (end < sizes.size() &&
           product <= (kKeyLimit - 1) / static_cast<std::uint64_t>(sizes[end])) {
        product *= static_cast<std::uint64_t>(sizes[end]);
        ++end;
    }
    return end;
}

void check(std::span<const std::int32_t> codes, std::span<const std::int64_t> sizes,
           std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("group: more than 2^31 - 1 rows");
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        const std::int64_t size = sizes[j];
        if (size < 1 || size > std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("group: a column size is out of range");
        std::uint32_t largest = 0;  // a negative code is a very large unsigned one
        for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, static_cast<std::uint32_t>(codes[j * n + i]));
        if (n && largest >= static_cast<std::uint64_t>(size))
            throw std::invalid_argument("group: a code is out of range");
    }
}

}  // namespace

Grouping group_columns(std::span<const std::int32_t> codes, std::span<const std::int64_t> sizes,
                       std::size_t n) {
    check(codes, sizes, n);
    Grouping result{std::vector<std::int32_t>(n, 0), {}};
    std::vector<std::uint64_t> keys(n);
    KeyNumbering numbering;
    std::uint64_t groups = 1;
    std::size_t start = 0;
    do {
        const std::size_t end = columns_that_fit(sizes, start, groups);
        std::uint64_t key_space = groups;
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = static_cast<std::uint64_t>(result.group_of[i]);
        for (std::size_t j = start; j < end; ++j) {
            const auto size = static_cast<std::uint64_t>(sizes[j]);
            const std::int32_t* column = codes.data() + j * n;
            for (std::size_t i = 0; i < n; ++i)
                keys[i] = keys[i] * size + static_cast<std::uint64_t>(column[i]);
            key_space *= size;
        }
        const std::int32_t found =
            numbering.number(keys.data(), n, key_space, result.group_of.data());
        groups = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(found));
        start = end;
    } while (start < sizes.size());
    for (std::size_t i = 0; i < n; ++i)
        if (static_cast<std::size_t>(result.group_of[i]) == result.first.size())
            result.first.push_back(static_cast<std::int64_t>(i));
    return result;
}

void bind_grouping(nb::module_& module) {
    module.def(
        "group",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> sizes) {
            if (codes.shape(0) != sizes.shape(0))
                throw std::invalid_argument("group: one size per column is needed");
            Grouping result;
            {
                nb::gil_scoped_release release;
                result = group_columns({codes.data(), codes.size()}, {sizes.data(), sizes.size()},
                                       codes.shape(1));
            }
            return nb::make_tuple(to_numpy(std::move(result.group_of)),
                                  to_numpy(std::move(result.first)));
        },
        nb::arg("codes"), nb::arg("sizes"));
}

}  // namespace incrowd
