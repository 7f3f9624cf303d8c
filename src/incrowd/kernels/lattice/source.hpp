// The classes of a node that coarser nodes are counted from; level 0 everywhere is the table.
#pragma once

#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct Source {
    std::vector<int64_t> records;       // by class
    std::vector<int32_t> kind;          // by class: what its tuples carry
    std::vector<uint32_t> chunk_codes;  // of one tuple of each class, chunk-major
    std::vector<int32_t> start;         // by class, and the end: its tuples in `tuples`
    std::vector<int32_t> tuples;
    size_t size() const { return records.size(); }
};
}  // namespace incrowd
