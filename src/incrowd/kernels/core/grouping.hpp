// Distinct tuples of small integer codes.  O(columns x rows), one pass per stage; beside the
// numbers of the rows, memory follows the distinct tuples.
//
// A tuple is packed into one 64-bit key in mixed radix.  Where the product of the sizes would reach
// 2^63, the columns are packed in stages: the groups found so far are numbered, and their number is
// the first digit of the next stage's key.  So two different tuples never share a key, however many
// columns there are.  Twin: tests/naive/counting.py::group.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct Grouping {
    std::vector<int32_t> group_of;  // by position
    std::vector<int64_t> first;     // by group: its first position
};

// A column of codes in whatever width its rows are held.  What a code stands for is the number at
// that position of `meaning`, where -1 is the last one; without meanings it stands for itself.
// A last meaning of -1 says that no row may have the code -1.
struct RowCodes {
    std::variant<std::span<const int8_t>, std::span<const int16_t>, std::span<const int32_t>> codes;
    std::span<const int32_t> meaning;
    int64_t size;  // every number is 0 <= number < size
};

Grouping group_rows(std::span<const RowCodes> columns, size_t n);
}  // namespace incrowd
