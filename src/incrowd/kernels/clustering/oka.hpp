// One-pass k-means: every record joins the nearest of n/k centres, which moves; then classes give
// away their farthest records until they have k, and too small ones take them first.
// Lin, Wei: "An efficient clustering method for k-anonymization", PAIS 2008.
// O(records x classes).  Twin: tests/naive/clustering.py.
#pragma once

#include <span>

#include "clustering/buckets.hpp"
#include "clustering/class_shapes.hpp"
#include "core/tuples.hpp"

namespace incrowd {
// `seeds` are records by their number in the order of the tuples, ascending; each opens a class.
Dealt oka(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k,
          std::span<const int64_t> seeds, Meter& meter);
}  // namespace incrowd
