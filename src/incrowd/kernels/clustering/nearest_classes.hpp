// The class that each tuple joins at the least cost, given what each cell costs with each value.
// O(tuples x classes x columns) at worst; a class is left as soon as it cannot win any more.
// Twin: tests/naive/nearest.py.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
// Of column j: costs[starts[j] + cell * widths[j] + value], which are 0 or more.
struct JoinCosts {
    std::span<const double> costs;
    std::span<const int64_t> starts, widths;

    size_t columns() const { return widths.size(); }
};

// `cell_of` is (tuples, columns), `value_of` (classes, columns), row by row.
std::vector<int32_t> nearest_classes(std::span<const int32_t> cell_of,
                                     std::span<const int32_t> value_of, const JoinCosts& joined);
}  // namespace incrowd
