// k-member clustering: classes of exactly k records grown around records far from each other, each
// time by the record that adds the least cost; the last few records join the class they cost least.
// Byun, Kamra, Bertino, Li: "Efficient k-anonymization using clustering techniques", DASFAA 2007.
// One walk over the remaining tuples per seed and per part.  Twin: tests/naive/clustering.py.
#pragma once

#include <vector>

#include "clustering/buckets.hpp"
#include "clustering/class_shapes.hpp"
#include "core/tuples.hpp"

namespace incrowd {
Dealt k_members(std::vector<ShapeColumn> columns, const Tuples& tuples, int64_t k,
                const std::vector<Bucket>& buckets, size_t threads, Meter& meter);
}  // namespace incrowd
