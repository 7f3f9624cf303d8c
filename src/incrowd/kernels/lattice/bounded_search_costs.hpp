// What a node costs under an objective, and the least that nodes of a box can cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "lattice/bounded_search.hpp"

namespace incrowd {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Terms = std::shared_ptr<const std::vector<double>>;  // by column and level

// The larger of two terms everywhere; `a` itself if that is it.
inline Terms larger_terms(const Terms& a, const Terms& b) {
    if (std::equal(a->begin(), a->end(), b->begin(), std::greater_equal<>())) return a;
    auto larger = std::make_shared<std::vector<double>>(*a);
    for (size_t s = 0; s < a->size(); ++s) (*larger)[s] = std::max((*a)[s], (*b)[s]);
    return larger;
}

class SearchCosts {
  public:
    SearchCosts(const NodeCounter& counter, const SearchProblem& problem)
        : counter_(counter), problem_(problem) {}

    // Whether the objective is a sum over columns; otherwise it depends on class sizes alone.
    bool by_columns() const {
        return problem_.objective == Objective::column_sum ||
               problem_.objective == Objective::column_geometric;
    }
    size_t slot(size_t j, size_t level) const { return counter_.columns()[j].slot + level; }

    // Inside, a geometric mean is the sum of its logarithms.
    double shown(double value) const {
        return problem_.objective == Objective::column_geometric ? std::expm1(value) : value;
    }

    double value_of(const Levels& levels, const NodeCount& count) const {
        const auto n = static_cast<double>(counter_.records());
        switch (problem_.objective) {
            case Objective::discernibility:
                return static_cast<double>(count.squares) +
                       n * static_cast<double>(count.suppressed);
            case Objective::discernibility_star: return static_cast<double>(count.all_squares);
            case Objective::average_class_size:
                return n / static_cast<double>(count.classes) / problem_.divisor;
            default: break;
        }
        double sum = 0;
        for (size_t j = 0; j < levels.size(); ++j) sum += term(j, levels[j], count.excess);
        return sum;
    }

    Terms terms_of(const std::vector<int64_t>& excess) const {
        auto terms = std::make_shared<std::vector<double>>(counter_.slots());
        for (size_t j = 0; j < counter_.columns().size(); ++j)
            for (size_t level = 0; level <= counter_.columns()[j].height(); ++level)
                (*terms)[slot(j, level)] = term(j, level, excess);
        return terms;
    }

    double least_value(const Levels& levels, const std::vector<double>& terms) const {
        double sum = 0;
        for (size_t j = 0; j < levels.size(); ++j) sum += terms[slot(j, levels[j])];
        return sum;
    }

    // Records that are suppressed at the top of a box cost what suppression costs, all others at
    // least what they cost in the classes of its bottom.
    double class_bound(const NodeCount& bottom, const NodeCount& top) const {
        const auto n = static_cast<double>(counter_.records());
        const auto k = static_cast<double>(counter_.smallest_kept());
        const auto lost = static_cast<double>(top.certain);
        // What a suppressed record can count at most in the bottom's sum.
        const auto counted =
            std::min(n, std::max(k, static_cast<double>(counter_.largest_suppressed())));
        switch (problem_.objective) {
            case Objective::discernibility:
                return static_cast<double>(bottom.floor_squares) + (n - counted) * lost;
            case Objective::discernibility_star: return static_cast<double>(bottom.all_squares);
            default: {
                const double classes =
                    std::min(static_cast<double>(bottom.all_classes), std::floor((n - lost) / k));
                return classes < 1 ? kInfinity : n / classes / problem_.divisor;
            }
        }
    }

  private:
    double term(size_t j, size_t level, const std::vector<int64_t>& excess) const {
        const size_t at = slot(j, level);
        const double cost = problem_.scale[j] * static_cast<double>(problem_.base[at] + excess[at]);
        return problem_.weight[j] *
               (problem_.objective == Objective::column_geometric ? std::log1p(cost) : cost);
    }

    const NodeCounter& counter_;
    const SearchProblem& problem_;
};
}  // namespace incrowd
