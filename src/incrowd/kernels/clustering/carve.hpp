// Carving: classes of full-domain shape, cut out of all the classes of a bucket at once.
#pragma once

#include <vector>

#include "clustering/local_search.hpp"
#include "lattice/column.hpp"

namespace incrowd {
void carve(const FixedTable& table, const std::vector<LatticeColumn>& levels,
           std::vector<ClassBucket>& buckets, uint64_t work, const ClassRules& rules,
           size_t threads, Meter& meter);
}  // namespace incrowd
