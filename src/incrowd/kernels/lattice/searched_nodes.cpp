#include "lattice/searched_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace incrowd {
namespace {
constexpr double kTolerance = 1e-12;  // two values this close are one
constexpr size_t kRecentNodes = 256;  // looked at before each count
constexpr double kReportSeconds = 0.05;
}  // namespace

double SearchedNodes::tolerance() const { return kTolerance * std::max(1.0, std::abs(best_)); }

std::shared_ptr<const Known> SearchedNodes::known(const Levels& levels) {
    auto& entry = seen_[levels];
    if (entry) return entry;
    entry = counted_now(levels);
    if (entry->value < best_) {
        best_ = entry->value;
        best_levels_ = levels;
    }
    if (entry->dead) dead_.add(levels);
    if (recent_.size() == kRecentNodes) recent_.pop_front();
    recent_.emplace_back(levels, entry);
    auto result = entry;
    check_limits();
    return result;
}

std::shared_ptr<const Known> SearchedNodes::counted_now(const Levels& levels) {
    auto fresh = std::make_shared<Known>();
    fresh->count = counter_.count(levels, !costs.by_columns(), problem_.limit);
    ++counted_;
    fresh->dead = fresh->count.certain > problem_.limit;
    fresh->value =
        fresh->count.suppressed > problem_.limit ? kInfinity : costs.value_of(levels, fresh->count);
    if (costs.by_columns() && !fresh->dead)
        fresh->terms = costs.terms_of(fresh->count.certain_excess);
    fresh->count.excess.clear();  // the terms say it all
    fresh->count.certain_excess.clear();
    return fresh;
}

void SearchedNodes::check_limits() {
    const auto now = Clock::now();
    if (counted_ >= problem_.node_limit ||
        std::chrono::duration<double>(now - start_).count() > problem_.time_limit)
        stop();
    if (std::chrono::duration<double>(now - reported_).count() < kReportSeconds) return;
    reported_ = now;
    if (!report_(counted_, costs.shown(best_), costs.shown(bound))) stop();
}

Terms SearchedNodes::what_is_known(const Levels& high, Terms terms) const {
    for (const auto& [above, node] : recent_) {
        if (!lies_below(high, above)) continue;
        if (node->dead) return nullptr;
        terms = larger_terms(terms, node->terms);
    }
    return terms;
}

bool SearchedNodes::cannot_give_less(const Levels& levels, double value) const {
    const auto seen = seen_.find(levels);
    if (seen != seen_.end()) return seen->second->value >= value;
    if (dead_.covers(levels)) return true;
    if (!costs.by_columns()) return false;
    const Terms terms = what_is_known(levels, base_);
    return !terms || costs.least_value(levels, *terms) >= value;
}

double SearchedNodes::way_past_dead(const Levels& low, const Levels& high,
                                    const std::vector<double>& terms) const {
    std::vector<double> past(terms.size());
    for (size_t j = 0; j < columns(); ++j) {
        double least = kInfinity;
        for (size_t level = high[j] + size_t{1}; level-- > low[j];) {
            least = std::min(least, terms[costs.slot(j, level)]);
            past[costs.slot(j, level)] = least;
        }
        for (size_t level = low[j]; level <= high[j]; ++level) past[costs.slot(j, level)] -= least;
    }
    return dead_.least_way_past(low, high, counter_.columns(), past);
}

std::vector<std::pair<double, size_t>> SearchedNodes::steps_down(const Levels& at) {
    const auto here = known(at);
    std::vector<std::pair<double, size_t>> steps;
    for (size_t j = 0; j < columns(); ++j) {
        if (at[j] == 0) continue;
        Levels step = at;
        --step[j];
        steps.emplace_back(here->terms ? costs.least_value(step, *here->terms) : -kInfinity, j);
    }
    std::ranges::sort(steps);
    return steps;
}
}  // namespace incrowd
