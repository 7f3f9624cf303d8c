// A tree of cuts with any number of children, and the binary tree that says the same.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
// A node cuts one column at the first codes of its children, all but the first child's.
struct CutTree {
    std::vector<int32_t> column;  // by node
    std::vector<int64_t> first;   // by node: its first child; the next node's come after it
    std::vector<int32_t> low;     // by child: the first code that goes there
    std::vector<int64_t> child;   // by child: a later node; below 0 it is the region ~child
};

// Nodes and regions in depth-first order, left before right: in whatever order cuts were found, the
// same cuts give the same tree.
struct SplitTree {
    std::vector<int32_t> column, cut, left, right;
    std::vector<int64_t> region;  // by region: its number in the tree of cuts
};

// Several children become a balanced tree of cuts.  Throws unless `tree` is a tree.
SplitTree split_tree(const CutTree& tree);

// The region of each of m tuples; `codes` is (d, m).  Throws unless `tree` is a tree over d
// columns.
std::vector<int32_t> regions_of(std::span<const int32_t> codes, size_t d, size_t m,
                                const SplitTree& tree);
}  // namespace incrowd
