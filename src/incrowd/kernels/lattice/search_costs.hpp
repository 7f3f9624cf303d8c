// What a node costs under an objective, and the least that nodes of a box can cost.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "lattice/bounded_search.hpp"

namespace incrowd {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Terms = std::shared_ptr<const std::vector<double>>;  // by column and level

// The larger of two terms everywhere; `a` itself if that is it.
Terms larger_terms(const Terms& a, const Terms& b);

class SearchCosts {
  public:
    SearchCosts(const NodeCounter& counter, const SearchProblem& problem)
        : counter_(counter), problem_(problem) {}

    // Whether the objective is a sum over columns; otherwise it depends on class sizes alone.
    bool by_columns() const {
        return problem_.objective == Objective::column_sum ||
               problem_.objective == Objective::column_geometric;
    }
    std::size_t slot(std::size_t j, std::size_t level) const {
        return counter_.columns()[j].slot + level;
    }
    // Inside, a geometric mean is the sum of its logarithms.
    double shown(double value) const;

    double value_of(const Levels& levels, const NodeCount& count) const;
    Terms terms_of(const std::vector<std::int64_t>& excess) const;
    double least_value(const Levels& levels, const std::vector<double>& terms) const;
    // Records that are suppressed at the top of a box cost what suppression costs, all others at
    // least what they cost in the classes of its bottom.
    double class_bound(const NodeCount& bottom, const NodeCount& top) const;

  private:
    double term(std::size_t j, std::size_t level, const std::vector<std::int64_t>& excess) const;

    const NodeCounter& counter_;
    const SearchProblem& problem_;
};

}  // namespace incrowd
