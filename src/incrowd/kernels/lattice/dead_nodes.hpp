// Nodes below which nothing is feasible, and what they say of boxes that they cover in part.
#pragma once

#include <algorithm>
#include <functional>

#include "lattice/column.hpp"

namespace incrowd {
inline bool lies_below(const Levels& low, const Levels& high) {
    return std::equal(low.begin(), low.end(), high.begin(), std::less_equal<>());
}

class DeadNodes {
  public:
    // Keeps the node unless one above it is kept; those below it go.
    void add(const Levels& levels);
    bool covers(const Levels& levels) const;
    // Every feasible node of a box is above each dead node in some column.  Returns the least that
    // this adds to the box's bound: the cheapest way past a dead node, for the one where it costs
    // most; infinity if there is no way.  `past` holds, by slot, what it costs at least to be at
    // that level or above, beyond the column's least term.
    double least_way_past(const Levels& low, const Levels& high,
                          const std::vector<LatticeColumn>& columns,
                          const std::vector<double>& past) const;

  private:
    std::vector<Levels> nodes_;  // none above another
};
}  // namespace incrowd
