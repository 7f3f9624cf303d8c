// K-Optimize (Bayardo and Agrawal, ICDE 2005): branch and bound over sets of items, depth first,
// after a greedy start.  An item is a split between two neighbouring values or, where there is a
// hierarchy, the opening of a node, which asks for the node above it.  A node of the search looks
// at its elements once per column, and once per level of a hierarchy. Twin: tests/naive/splits.py.
//
// Where requirements ask for more than sizes, a set costs what they suppress under its cuts.  They
// only ever suppress more than sizes alone, and a suppressed record costs as much as a record can:
// so bounds of what sizes alone cost are bounds still, and are all that prunes.
#pragma once

#include "core/workers.hpp"
#include "subtree/asked_cuts.hpp"
#include "subtree/k_optimize_items.hpp"

namespace incrowd {
struct KOptimizeLimits {
    int64_t suppressed, work, nodes;
    double seconds;
};

struct KOptimized {
    std::vector<int32_t> items;
    double cost = 0, bound = 0;
    int64_t nodes = 0;
    bool ended = false;
};

KOptimized k_optimize(const CutTable& table, const AskedOfCuts& asked, const SplitItems& items,
                      bool by_target, const KOptimizeLimits& limits, Meter& meter);
}  // namespace incrowd
