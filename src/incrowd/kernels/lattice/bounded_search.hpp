// The node of a full-domain lattice with the least loss, suppression included: branch and bound
// over boxes [low, high] of the lattice, best bound first.
//
// Counting the top of a box bounds the whole box: the records suppressed there are suppressed
// everywhere below, and their excess is known at every level.  Where the objective is a sum over
// columns (of a monotone function of a column's loss), a level whose own term plus the least terms
// of all other columns cannot beat the best node known is cut off; that lowers the top, which is
// then counted, which suppresses more.  A box that nothing cuts off is split at the top level of
// the column where leaving that level promises most.  On large lattices the top of a part is
// counted only after a few splits while hardly a record falls there: what was counted above still
// bounds it, and one count then serves several splits.  Boxes are created on demand: the lattice is
// never materialised, and the least bound of the open boxes is a proven bound at any time.
//
// Objectives on class sizes are bounded by both ends of a box: records of the top's suppressed set
// cost what suppression costs, all others at least what they cost in the classes of the bottom.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "lattice/node_counting.hpp"

namespace incrowd {
enum class Objective : int {
    column_sum = 0,        // sum of weight x mean cost
    column_geometric = 1,  // product of (1 + mean cost)^weight, minus 1; weights add up to 1
    discernibility = 2,
    discernibility_star = 3,
    average_class_size = 4,
};

struct SearchProblem {
    Objective objective;
    std::vector<double> weight;  // by column
    std::vector<double> scale;   // by column: cost = scale x numerator
    std::vector<int64_t> base;   // by column and level: numerators with nothing suppressed
    double divisor;              // average_class_size: the k it is measured in
    int64_t limit;               // suppressed records allowed
    int64_t node_limit;          // nodes that may be counted
    double time_limit;           // seconds
};

struct SearchResult {
    Levels levels;
    double value = std::numeric_limits<double>::infinity();
    double bound = 0;
    bool found = false, optimal = false;
    int64_t counted = 0;
};

// Called now and then with (nodes counted, best value, bound); false stops the search.
using Report = std::function<bool(int64_t, double, double)>;

SearchResult bounded_search(NodeCounter& counter, const SearchProblem& problem,
                            const Report& report);
}  // namespace incrowd
