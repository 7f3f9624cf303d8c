#include "lattice/search_costs.hpp"

#include <algorithm>
#include <cmath>

namespace incrowd {

Terms larger_terms(const Terms& a, const Terms& b) {
    if (std::equal(a->begin(), a->end(), b->begin(), std::greater_equal<>())) return a;
    auto larger = std::make_shared<std::vector<double>>(*a);
    for (std::size_t s = 0; s < a->size(); ++s) (*larger)[s] = std::max((*a)[s], (*b)[s]);
    return larger;
}

double SearchCosts::shown(double value) const {
    return problem_.objective == Objective::column_geometric ? std::expm1(value) : value;
}

double SearchCosts::term(std::size_t j, std::size_t level,
                         const std::vector<std::int64_t>& excess) const {
    const std::size_t at = slot(j, level);
    const double cost = problem_.scale[j] * static_cast<double>(problem_.base[at] + excess[at]);
    return problem_.weight[j] *
           (problem_.objective == Objective::column_geometric ? std::log1p(cost) : cost);
}

Terms SearchCosts::terms_of(const std::vector<std::int64_t>& excess) const {
    auto terms = std::make_shared<std::vector<double>>(counter_.slots());
    for (std::size_t j = 0; j < counter_.columns().size(); ++j)
        for (std::size_t level = 0; level <= counter_.columns()[j].height(); ++level)
            (*terms)[slot(j, level)] = term(j, level, excess);
    return terms;
}

double SearchCosts::least_value(const Levels& levels, const std::vector<double>& terms) const {
    double sum = 0;
    for (std::size_t j = 0; j < levels.size(); ++j) sum += terms[slot(j, levels[j])];
    return sum;
}

double SearchCosts::value_of(const Levels& levels, const NodeCount& count) const {
    const auto n = static_cast<double>(counter_.records());
    switch (problem_.objective) {
        case Objective::discernibility:
            return static_cast<double>(count.squares) + n * static_cast<double>(count.suppressed);
        case Objective::discernibility_star:
            return static_cast<double>(count.all_squares);
        case Objective::average_class_size:
            return n / static_cast<double>(count.classes) / problem_.divisor;
        default:
            break;
    }
    double sum = 0;
    for (std::size_t j = 0; j < levels.size(); ++j) sum += term(j, levels[j], count.excess);
    return sum;
}

double SearchCosts::class_bound(const NodeCount& bottom, const NodeCount& top) const {
    const auto n = static_cast<double>(counter_.records());
    const auto k = static_cast<double>(counter_.smallest_kept());
    const auto lost = static_cast<double>(top.certain);
    // What a suppressed record can count at most in the bottom's sum.
    const auto counted =
        std::min(n, std::max(k, static_cast<double>(counter_.largest_suppressed())));
    switch (problem_.objective) {
        case Objective::discernibility:
            return static_cast<double>(bottom.floor_squares) + (n - counted) * lost;
        case Objective::discernibility_star:
            return static_cast<double>(bottom.all_squares);
        default: {
            const double classes =
                std::min(static_cast<double>(bottom.all_classes), std::floor((n - lost) / k));
            return classes < 1 ? kInfinity : n / classes / problem_.divisor;
        }
    }
}

}  // namespace incrowd
