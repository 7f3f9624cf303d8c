// Distinct tuples of small integer codes.  O(columns x rows), one pass per stage.
//
// A tuple is packed into one 64-bit key in mixed radix.  Where the product of the sizes would reach
// 2^63, the columns are packed in stages: the groups found so far are numbered, and their number is
// the first digit of the next stage's key.  So two different tuples never share a key, however many
// columns there are.  Twin: tests/naive/counting.py::group.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct Grouping {
    std::vector<int32_t> group_of;  // by position
    std::vector<int64_t> first;     // by group: its first position
};

// `codes` is column-major: column j starts at j * n.  Code c of column j is 0 <= c < sizes[j].
Grouping group_columns(std::span<const int32_t> codes, std::span<const int64_t> sizes, size_t n);
}  // namespace incrowd
