// What a search over regions finds: piece by piece, and put together.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "regions/cut_tree.hpp"

namespace incrowd::region_search {
// What is found in one task; some of its children may be other tasks.
struct Subtree {
    CutTree cuts;
    std::vector<double> score;                     // by node
    std::vector<std::pair<size_t, size_t>> tasks;  // child, number of the task's subtree
    std::vector<int32_t> low, high;                // by region and column; high exclusive
    // If tuples are divided: their parts, region after region, and the first part of each region.
    std::vector<int32_t> tuple;
    std::vector<int64_t> records;
    std::vector<size_t> first_part;
    int64_t regions = 0;
};

struct Found {
    CutTree cuts;               // the root comes first, if there is any cut
    std::vector<double> score;  // by node of `cuts`
    SplitTree tree;
    std::vector<int32_t> low, high;        // by region of `tree` and column
    std::vector<int32_t> tuple, class_of;  // if tuples are divided: by part, as `records`
    std::vector<int64_t> records;
    int32_t n_classes = 0;
};

// Puts the subtrees together; regions are numbered depth first.
Found joined(const std::deque<Subtree>& subtrees, size_t columns, bool divides);
}  // namespace incrowd::region_search
