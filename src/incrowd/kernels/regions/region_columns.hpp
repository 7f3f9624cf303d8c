// How wide a region is in a column, and which nodes lie under it.
//
// A region is known by its smallest and its largest code.  In a tree it is as wide as the lowest
// node that covers both; on a line, as far as their places lie apart.
#pragma once

#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct RegionColumn {
    int32_t n_codes = 0;
    // A line: the place of each code; codes from place.size() on have none.  A tree has no places.
    std::vector<double> place;
    double mixed = 0.0;  // the width of a code without a place and any other
    // A tree: by level (0: the leaves) and code, the first code of its node, and the node's width.
    std::vector<int32_t> first;
    std::vector<double> width;

    int32_t first_at(size_t level, int32_t code) const { return first[level * n_codes + code]; }
    // The level of the lowest node over two codes.
    size_t level_over(int32_t low, int32_t high) const {
        size_t level = 0;
        while (first_at(level, low) != first_at(level, high)) ++level;
        return level;
    }
    double width_over(int32_t low, int32_t high) const {
        if (place.empty()) return width[level_over(low, high) * n_codes + low];
        if (static_cast<size_t>(high) >= place.size()) return low == high ? 0.0 : mixed;
        return place[high] - place[low];
    }
};

// How wide regions are in all columns of a table.
struct Regions {
    std::vector<RegionColumn> columns;
};
}  // namespace incrowd
