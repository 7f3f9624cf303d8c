// The nodes that a search has counted, the best of them, and what they say of nodes not counted.
#pragma once

#include <chrono>
#include <deque>
#include <memory>

#include "lattice/bounded_search.hpp"
#include "lattice/bounded_search_costs.hpp"
#include "lattice/dead_nodes.hpp"

namespace incrowd {
// What is known of a counted node.
struct Known {
    NodeCount count;
    Terms terms;   // the least terms at and below this node; none if it is dead
    double value;  // infinity if too many records are suppressed
    bool dead;     // nothing below it can be feasible either
};

class SearchedNodes {
  public:
    SearchedNodes(NodeCounter& counter, const SearchProblem& problem, const Report& report)
        : costs(counter, problem), counter_(counter), problem_(problem), report_(report),
          base_(costs.terms_of(std::vector<int64_t>(counter.slots()))),
          information_(counter.columns(), counter.sample(), counter.slots()) {}

    // The figures of a node: from memory, or counted now.
    std::shared_ptr<const Known> known(const Levels& levels);
    // Whether it takes no count to see that a node's value is not below this one.
    bool cannot_give_less(const Levels& levels, double value) const;
    // What a node gives if nothing is suppressed there; nothing where classes decide.
    double least_value(const Levels& levels) const {
        return costs.by_columns() ? costs.least_value(levels, *base_) : 0;
    }
    // What the box costs at least beyond its least terms, as parts of it are known to be dead.
    double way_past_dead(const Levels& low, const Levels& high,
                         const std::vector<double>& terms) const;
    // Adds what nodes counted lately say of everything below `high`; none if nothing is feasible
    // there.
    Terms what_is_known(const Levels& high, Terms terms) const;
    // The columns of a known node that can go down a level, by the least value that this could
    // give.
    std::vector<std::pair<double, size_t>> steps_down(const Levels& at);

    // How many bits a column tells at a level beyond what those tell that are below their highest.
    double told_beyond(const Levels& others, size_t j, uint8_t level) {
        return information_.beyond(others, top_, j, level);
    }

    const Levels& top() const { return top_; }
    int64_t limit() const { return problem_.limit; }
    const std::vector<LatticeColumn>& column_tables() const { return counter_.columns(); }
    size_t columns() const { return top_.size(); }
    size_t size() const { return seen_.size(); }
    int64_t counted() const { return counted_; }
    bool found() const { return best_ < kInfinity; }
    double best() const { return best_; }
    const Levels& best_levels() const { return best_levels_; }
    double tolerance() const;
    bool beaten(double bound) const { return found() && bound >= best_ - tolerance(); }

    // Time, nodes or memory are used up, or a report said so.
    bool stopped() const { return stopped_; }
    void stop() { stopped_ = true; }

    const SearchCosts costs;
    double bound = 0;  // no node has less: for reports

  private:
    std::shared_ptr<const Known> counted_now(const Levels& levels);
    void check_limits();

    using Clock = std::chrono::steady_clock;

    NodeCounter& counter_;
    const SearchProblem& problem_;
    const Report& report_;
    const Terms base_;  // with nothing suppressed
    Information information_;
    const Levels top_ = counter_.top();
    const Clock::time_point start_ = Clock::now();
    Clock::time_point reported_ = start_;
    ByLevels<std::shared_ptr<const Known>> seen_;
    std::deque<std::pair<Levels, std::shared_ptr<const Known>>> recent_;
    DeadNodes dead_;
    double best_ = kInfinity;
    Levels best_levels_;
    int64_t counted_ = 0;
    bool stopped_ = false;
};
}  // namespace incrowd
