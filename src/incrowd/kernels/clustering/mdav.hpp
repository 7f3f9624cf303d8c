// Classes of k records around the far ends of a table: MDAV, "maximum distance to average vector",
// of Domingo-Ferrer and Torra, DMKD 11(2), 2005.
//
// While 3k records or more are left: r is the record farthest from the centroid, its class are the
// k - 1 records nearest to it; s is the one farthest from r of those left, with a class likewise.
// Works on distinct tuples with counts, and does what would be done record by record: of records at
// one distance the first tuple's go first.  Squared distances are added up column by column in the
// order of the columns, means over the codes in their order, so that classes are the same on every
// machine.  Cost: O(n^2 / k) look-ups per column.  Twin: tests/naive/mdav.py.
#pragma once

#include <span>

#include "clustering/buckets.hpp"
#include "clustering/class_shapes.hpp"
#include "core/tuples.hpp"

namespace incrowd {
Dealt mdav(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k, Meter& meter);
}  // namespace incrowd
