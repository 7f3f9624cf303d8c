// Classes by peeling: again and again the cheapest full-domain node that makes enough records safe
// is found, its safe classes are released, and the search goes on with the records that are left.
//
// A node is safe for the records in its classes of k or more that hold the rules.  What a node costs
// is a sum over columns, so the cheapest one is found by going down from the top, one column lowered
// at a time, then by raising one column to lower another.  Records only leave: a node that is not
// safe for enough of them never will be, and nothing finer either, unless a rule can fail for a class
// and hold for a part of it.
// Cost: O(tuples left) for each node counted.  Twin: tests/naive/peeling.py.
#pragma once

#include <vector>

#include "clustering/local_search.hpp"
#include "lattice/column.hpp"

namespace incrowd {
struct Peeling {
    int64_t least;      // records that a node must make safe
    int64_t most;       // nodes that are counted; the rest is then released as it is
    bool parts_fail;    // whether no part of a class that breaks a rule can hold it
};

// Tuples stay whole: returns the classes, in the order they were released.  The last one holds what
// nothing could be done about, and k records or more; it alone may break a rule.
// The columns' `excess` holds what a record costs, by level and code.
std::vector<Region> peel(const FixedTable& table, const std::vector<int64_t>& records,
                         std::vector<LatticeColumn> columns, const Peeling& how,
                         const ClassRules& rules, Meter& meter);
}  // namespace incrowd
