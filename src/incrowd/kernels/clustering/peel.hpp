// Classes by peeling: again and again the cheapest full-domain node that forms a class of what is
// left is found, its classes are released, and the search goes on with the records that are left.
//
// A node forms those of its classes that have k records and hold the rules.  What it costs is a sum
// over columns, for all that is left: the cheapest one is found by going down from the top, one
// column at a time, and then by raising a column to lower another one.  Records only leave, so a
// node that forms no class never will, and none below it, unless a rule that a class breaks can
// hold for a part of it: such a node is looked at again after the next release.  What is left never
// has fewer than k records, nor breaks a rule: otherwise the last classes stay with it. Cost:
// O(tuples left) for each node that is counted.  Twin: tests/naive/peeling.py.
#pragma once

#include <vector>

#include "clustering/local_search.hpp"
#include "lattice/column.hpp"

namespace incrowd {
struct Peeling {
    // Tuples that are looked at for each tuple, over all nodes.  A bucket that needs more asks for
    // more records at once, and so for fewer nodes.
    int64_t work;
    // Whether no part of a class that breaks a rule can hold it.
    bool parts_break;
};

// Forms the classes of each bucket anew; records of the same tuple stay together.  The levels'
// `excess` holds what a record costs, by level and code.  All records of a bucket together hold the
// rules.
void peel(const FixedTable& table, const std::vector<LatticeColumn>& levels,
          std::vector<ClassBucket>& buckets, const Peeling& how, const ClassRules& rules,
          size_t threads, Meter& meter);
}  // namespace incrowd
