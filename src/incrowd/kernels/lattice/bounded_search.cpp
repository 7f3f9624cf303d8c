#include "lattice/bounded_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>
#include <queue>

#include "lattice/bounded_search_costs.hpp"

namespace incrowd {
namespace {
constexpr double kTolerance = 1e-12;       // two values this close are one
constexpr size_t kRemembered = 2'000'000;  // boxes and nodes, about 1 GB: then time is up
constexpr size_t kRecentNodes = 256;       // looked at before each count
constexpr double kReportSeconds = 0.05;

using Clock = std::chrono::steady_clock;

// What is known of a counted node.
struct Known {
    NodeCount count;
    Terms terms;   // the least terms at and below this node; none if it is dead
    double value;  // infinity if too many records are suppressed
    bool dead;     // nothing below it can be feasible either
};

struct Box {
    Levels low, high;
    double bound;
    Terms terms;  // the least terms in the box: from its top, and from other nodes above it
    int64_t order;
};

struct LaterFirst {
    bool operator()(const Box& a, const Box& b) const {
        return a.bound != b.bound ? a.bound > b.bound : a.order < b.order;
    }
};

class Search {
  public:
    Search(NodeCounter& counter, const SearchProblem& problem, const Report& report)
        : counter_(counter), problem_(problem), report_(report), costs_(counter, problem),
          start_(Clock::now()) {}

    SearchResult run() {
        descend();
        if (!stopped_) open(Levels(columns(), 0), counter_.top(), known(counter_.top())->terms);
        while (!stopped_ && !open_.empty()) {
            Box box = open_.top();
            bound_ = box.bound;
            if (beaten(bound_)) break;  // best first: all others are beaten too
            open_.pop();
            if (!shrunk_since(box)) split(std::move(box));
        }
        result_.optimal = !stopped_ && result_.found;
        prefer_lower_levels();
        // A box never bounds less than the one it came from, so the last box bounds all open ones.
        result_.bound = costs_.shown(result_.optimal ? best_ : std::min(best_, bound_));
        result_.value = costs_.shown(best_);
        return std::move(result_);
    }

  private:
    size_t columns() const { return counter_.columns().size(); }
    double tolerance() const { return kTolerance * std::max(1.0, std::abs(best_)); }
    bool beaten(double bound) const { return result_.found && bound >= best_ - tolerance(); }

    // The figures of a node: from memory, or counted now.
    std::shared_ptr<const Known> known(const Levels& levels) {
        auto& entry = seen_[levels];
        if (entry) return entry;
        auto fresh = std::make_shared<Known>();
        fresh->count = counter_.count(levels, !costs_.by_columns(), problem_.limit);
        ++result_.counted;
        fresh->dead = fresh->count.certain > problem_.limit;
        fresh->value = fresh->count.suppressed > problem_.limit
                           ? kInfinity
                           : costs_.value_of(levels, fresh->count);
        if (costs_.by_columns() && !fresh->dead)
            fresh->terms = costs_.terms_of(fresh->count.certain_excess);
        fresh->count.excess.clear();  // the terms say it all
        fresh->count.certain_excess.clear();
        if (fresh->value < best_) {
            best_ = fresh->value;
            result_.levels = levels;
            result_.found = true;
        }
        entry = std::move(fresh);
        if (recent_.size() == kRecentNodes) recent_.pop_front();
        recent_.emplace_back(levels, entry);
        check_limits();
        return entry;
    }

    void check_limits() {
        const auto now = Clock::now();
        if (result_.counted >= problem_.node_limit || open_.size() + seen_.size() > kRemembered ||
            std::chrono::duration<double>(now - start_).count() > problem_.time_limit)
            stopped_ = true;
        if (std::chrono::duration<double>(now - reported_).count() < kReportSeconds) return;
        reported_ = now;
        if (!report_(result_.counted, costs_.shown(best_), costs_.shown(bound_))) stopped_ = true;
    }

    // Steepest descent from the top: a good node to beat, early.
    void descend() {
        Levels at = counter_.top();
        double value = known(at)->value;
        for (bool moved = true; moved && !stopped_;) {
            moved = false;
            Levels best_step;
            for (const auto& [least, j] : steps_down(at)) {
                if (least >= value || stopped_) break;  // no later step can do better
                Levels step = at;
                --step[j];
                const double stepped = known(step)->value;
                if (stepped < value) {
                    value = stepped;
                    best_step = std::move(step);
                    moved = true;
                }
            }
            if (moved) at = std::move(best_step);
        }
    }

    // The columns that can go down a level, by the least value that this could give.
    std::vector<std::pair<double, size_t>> steps_down(const Levels& at) {
        const auto here = known(at);
        std::vector<std::pair<double, size_t>> steps;
        for (size_t j = 0; j < columns(); ++j) {
            if (at[j] == 0) continue;
            Levels step = at;
            --step[j];
            steps.emplace_back(here->terms ? costs_.least_value(step, *here->terms) : -kInfinity,
                               j);
        }
        std::ranges::sort(steps);
        return steps;
    }

    // Cuts off levels that cannot beat the best node.  Returns the bound of what is left; infinity
    // if nothing is.
    double shave(Levels& low, Levels& high, const std::vector<double>& terms) const {
        std::vector<double> least(columns());
        for (bool changed = true;;) {
            double sum = 0;
            for (size_t j = 0; j < columns(); ++j) {
                const double* from = terms.data() + costs_.slot(j, low[j]);
                least[j] = *std::min_element(from, from + (high[j] - low[j]) + 1);
                sum += least[j];
            }
            if (beaten(sum)) return kInfinity;
            if (!changed) return sum;
            changed = false;
            for (size_t j = 0; j < columns(); ++j) {
                const double others = sum - least[j];
                for (; low[j] < high[j] && beaten(others + terms[costs_.slot(j, high[j])]);
                     changed = true)
                    --high[j];
                for (; low[j] < high[j] && beaten(others + terms[costs_.slot(j, low[j])]);
                     changed = true)
                    ++low[j];
            }
        }
    }

    // Makes a box as small as what is known allows, counts its top, and opens it unless it is
    // beaten.
    void open(Levels low, Levels high, Terms terms) {
        if (!costs_.by_columns()) return open_by_classes(std::move(low), std::move(high));
        while (terms && !stopped_) {
            const double bound = shave(low, high, *terms);
            if (bound == kInfinity) return;
            Terms more = what_is_known(high, terms);
            if (more == terms) {
                const auto top = known(high);
                more = top->dead ? nullptr : larger_terms(terms, top->terms);
            }
            if (more == terms) {
                if (low != high)
                    open_.push(
                        {std::move(low), std::move(high), bound, std::move(terms), order_++});
                return;
            }
            terms = std::move(more);
        }
    }

    // Adds what nodes counted lately say of everything below `high`; none if nothing is feasible
    // there.
    Terms what_is_known(const Levels& high, Terms terms) const {
        for (const auto& [above, node] : recent_) {
            if (!std::equal(high.begin(), high.end(), above.begin(), std::less_equal<>())) continue;
            if (node->dead) return nullptr;
            terms = larger_terms(terms, node->terms);
        }
        return terms;
    }

    // The best node may have improved since the box was opened.
    bool shrunk_since(const Box& box) {
        if (!costs_.by_columns()) return false;
        Levels low = box.low, high = box.high;
        const double bound = shave(low, high, *box.terms);
        if (bound == box.bound && low == box.low && high == box.high) return false;
        if (bound != kInfinity) open(std::move(low), std::move(high), box.terms);
        return true;
    }

    void open_by_classes(Levels low, Levels high) {
        const auto top = known(high);
        if (top->dead) return;
        const double bound = costs_.class_bound(known(low)->count, top->count);
        if (!beaten(bound) && low != high)
            open_.push({std::move(low), std::move(high), bound, nullptr, order_++});
    }

    // The column whose top level costs most more than the levels below it; for class objectives,
    // the column with the most levels left.
    size_t column_to_split(const Box& box) const {
        size_t chosen = columns();
        double most = 0;
        for (size_t j = 0; j < columns(); ++j) {
            if (box.low[j] == box.high[j]) continue;
            double gain = box.high[j] - box.low[j];
            if (costs_.by_columns()) {
                const double* terms = box.terms->data() + costs_.slot(j, 0);
                gain =
                    terms[box.high[j]] - *std::min_element(terms + box.low[j], terms + box.high[j]);
            }
            if (chosen == columns() || gain > most) {
                chosen = j;
                most = gain;
            }
        }
        return chosen;
    }

    void split(Box box) {
        const size_t j = column_to_split(box);
        Levels high = box.high;
        --high[j];
        open(box.low, std::move(high), box.terms);
        box.low[j] = box.high[j];
        if (!stopped_) open(std::move(box.low), std::move(box.high), std::move(box.terms));
    }

    // Among nodes of the same value the one that generalises less.
    void prefer_lower_levels() {
        if (!result_.found) return;
        for (size_t j = 0; j < columns(); ++j)
            while (result_.levels[j] > 0 && !stopped_) {
                Levels lower = result_.levels;
                --lower[j];
                const double tied = best_ + tolerance();
                if (costs_.by_columns() &&
                    costs_.least_value(lower, *known(result_.levels)->terms) > tied)
                    break;  // no need to count it
                if (known(lower)->value > tied) break;
                result_.levels = lower;
            }
    }

    NodeCounter& counter_;
    const SearchProblem& problem_;
    const Report& report_;
    const SearchCosts costs_;
    Clock::time_point start_, reported_ = Clock::now();
    ByLevels<std::shared_ptr<const Known>> seen_;
    std::deque<std::pair<Levels, std::shared_ptr<const Known>>> recent_;
    std::priority_queue<Box, std::vector<Box>, LaterFirst> open_;
    int64_t order_ = 0;
    double best_ = kInfinity;
    double bound_ = 0;
    bool stopped_ = false;
    SearchResult result_;
};
}  // namespace

SearchResult bounded_search(NodeCounter& counter, const SearchProblem& problem,
                            const Report& report) {
    return Search(counter, problem, report).run();
}
}  // namespace incrowd
