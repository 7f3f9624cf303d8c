// Carving: a class of the shape of a full-domain node, cut out of all classes of a bucket at once.
//
// A shape is a node for each column, around a record that loses much.  The records that it covers
// and that cost more where they are would join it.  A class that they leave with fewer than k gives
// up only what it can spare, or is dissolved, whichever is thought to be cheaper; and what the new
// class lacks for k it takes from classes that can spare it.  All that is reckoned from the numbers
// of records by class, before a record is moved; of all shapes a column higher or lower the search
// goes on to one that gains more, and opens the last one.  Moves of single records find none of
// this: where k is large, a class gets cheaper only when many leave it at once.
// Cost: O(items / 64 x columns + items inside) for each shape.  Twin: tests/naive/classes.py.
#pragma once

#include <vector>

#include "clustering/local_search.hpp"
#include "lattice/column.hpp"

namespace incrowd {
// The levels' `excess` holds what a record costs, by level and code.  `work`: cells that are looked
// at for each record.  Every class of the buckets holds the rules, and so does every class
// afterwards.
void carve(const FixedTable& table, const std::vector<LatticeColumn>& levels,
           std::vector<ClassBucket>& buckets, uint64_t work, const ClassRules& rules,
           size_t threads, Meter& meter);
}  // namespace incrowd
