// How wide a region is in a column, and which nodes lie under it.
//
// A region is known by its smallest and its largest code.  In a tree it is as wide as the lowest
// node that covers both; on a line, as far as their places lie apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrays.hpp"

namespace incrowd {

struct RegionColumn {
    std::int32_t n_codes = 0;
    // A line: the place of each code; codes from place.size() on have none.  A tree has no places.
    std::vector<double> place;
    double mixed = 0.0;  // the width of a code without a place and any other
    // A tree: by level (0: the leaves) and code, the first code of its node, and the node's width.
    std::vector<std::int32_t> first;
    std::vector<double> width;

    // The level of the lowest node over two codes.
    std::size_t level_over(std::int32_t low, std::int32_t high) const;
    std::int32_t first_at(std::size_t level, std::int32_t code) const {
        return first[level * static_cast<std::size_t>(n_codes) + static_cast<std::size_t>(code)];
    }
    double width_over(std::int32_t low, std::int32_t high) const;
};

// Reads what `region_columns` in incrowd.algorithms.multidimensional.widths writes.
std::vector<RegionColumn> region_columns(nb::list columns);

// Checks that every code of a (columns, tuples) array is one of its column's.
void check_codes(std::span<const RegionColumn> columns, const In<std::int32_t, 2>& codes);

}  // namespace incrowd
