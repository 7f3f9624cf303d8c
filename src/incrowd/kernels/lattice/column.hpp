// The columns of a lattice: which node each leaf belongs to at each level, and what that costs.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
using Levels = std::vector<uint8_t>;  // a node of the lattice: a level per column

struct LevelsHash {
    size_t operator()(const Levels& levels) const {
        return std::hash<std::string_view>{}(
            {reinterpret_cast<const char*>(levels.data()), levels.size()});
    }
};

template <typename T>
using ByLevels = std::unordered_map<Levels, T, LevelsHash>;

struct LatticeColumn {
    int64_t codes;                           // leaf codes are 0 <= c < codes
    std::vector<std::vector<int32_t>> node;  // by level and leaf code
    std::vector<int64_t> sizes;              // by level: how many nodes
    std::vector<std::vector<int64_t>> excess;
    size_t slot;   // where this column's levels start in an excess array
    uint8_t last;  // the highest level of a node; the root is above it where that is not allowed
    uint8_t height() const { return static_cast<uint8_t>(node.size() - 1); }
};

// All columns of a lattice.
struct LevelTables {
    std::vector<LatticeColumn> columns;
};
}  // namespace incrowd
