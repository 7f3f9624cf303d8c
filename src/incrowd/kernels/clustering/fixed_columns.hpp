// What a class costs in each column, in whole numbers: a search that adds and takes away costs
// millions of times must neither drift nor depend on the machine.
//
// A class is one number or two per column.  Tree: the lowest node that covers it.  Line: the places
// of its smallest and its largest number.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "clustering/class_shapes.hpp"
#include "core/integers.hpp"

namespace incrowd {
// Costs of one record over all columns stay below this; sums of a whole table fit 64 bits.
inline constexpr int32_t kCostUnit = 1 << 22;

struct FixedColumn {
    bool line = false;
    int32_t n_codes = 0, n_nodes = 0;
    // Tree, by node; the root is its own parent.
    std::vector<int32_t> parent, low, high, cost;
    // Tree: the node of each code.  Line: its place.
    std::vector<int32_t> start;
    // Tree: the lowest common node of a code and a node, and its cost, where the table is small.
    std::vector<uint16_t> joined;
    std::vector<int32_t> joined_cost;
    // Line: no class costs more.
    int32_t full = 0;

    int32_t climb(int32_t node, int32_t code) const {
        while (code < low[node] || code >= high[node]) node = parent[node];
        return node;
    }
    int32_t join(int32_t node, int32_t code) const {
        if (joined.empty()) return climb(node, code);
        return joined[static_cast<size_t>(code) * n_nodes + node];
    }
    int32_t join_cost(int32_t node, int32_t code) const {
        if (joined.empty()) return cost[climb(node, code)];
        return joined_cost[static_cast<size_t>(code) * n_nodes + node];
    }
    // The cost of a class that spans the codes from `first` to `last`, both included.
    int32_t span_cost(int32_t first, int32_t last) const {
        if (line) return std::min(start[last] - start[first], full);
        return cost[first == last ? start[first] : climb(start[first], last)];
    }
};

// Turns costs into whole numbers, all columns on one scale: weights are in the costs already.
std::vector<FixedColumn> fixed_columns(std::span<const ShapeColumn> columns);
}  // namespace incrowd
