// The cheapest partition of a small multiset into classes of at least k records.
//
// Every item bears a share of the cost of whatever class it is in (mingen_shares.hpp), and a class
// is left with the excess of its cost over the shares of its members.  The excesses of a partition
// add up to what it costs more than the bound, so those of the best are small: partitions are
// looked for within a limit on their excess, depth first, taking a class for the lowest item that
// is left.  Where there is none the limit is raised; once there is one it is lowered, until no
// better one is left.  What is left over at a step, and the excess that it is known to exceed, is
// remembered: iterative deepening with a transposition table.
// Cost: exponential, and counted; the search gives up at a number of steps.
// Twin: tests/naive/partitions.py.
#pragma once

#include <vector>

#include "cell/mingen_classes.hpp"

namespace incrowd {
constexpr int64_t kMostCost = int64_t{1} << 50;  // of all items

struct Partition {
    std::vector<int64_t> amounts;  // (classes, items)
    int64_t steps = 0;
    bool finished = false;
};

Partition mingen(const SmallItems& items, size_t most_classes, int64_t most_steps, Meter& meter);
}  // namespace incrowd
