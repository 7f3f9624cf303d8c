#include "lattice/bounded_search.hpp"

#include <algorithm>
#include <queue>

#include "lattice/lattice_walk.hpp"

namespace incrowd {
namespace {
constexpr size_t kRemembered = 2'000'000;  // boxes and nodes, about 1 GB: then time is up
// Smaller lattices are finished by bounding alone, as a rule; then the walk would be a waste.
constexpr double kSmallLattice = 100'000;
constexpr int64_t kSmallLatticeNodes = 10'000;
constexpr int64_t kBounding = 1, kMostBounding = 48;  // nodes for each two of the walk
constexpr int64_t kPatience = 8;                      // turns
// On larger lattices a top is counted only after so many splits, while hardly a record falls there.
constexpr int kMostUncounted = 2;
constexpr int64_t kHardly = 16;  // a share of the records that may be suppressed
// There a column is split by what leaving its top level gains, times so many bits and its own.
constexpr double kCommonBits = 4.0;

// What was counted last on the way to a box.
struct LastCount {
    int64_t certain = 0;  // records that fall there
    int uncounted = 0;    // splits since
};

struct Box {
    Levels low, high;
    double bound;
    Terms terms;  // the least terms in the box: from its top, and from other nodes above it
    int64_t order;
    LastCount last;
};

struct LaterFirst {
    bool operator()(const Box& a, const Box& b) const {
        return a.bound != b.bound ? a.bound > b.bound : a.order < b.order;
    }
};

class Search {
  public:
    Search(NodeCounter& counter, const SearchProblem& problem, const Report& report)
        : nodes_(counter, problem, report), costs_(nodes_.costs), walk_(nodes_),
          is_small_(nodes_of_lattice() <= kSmallLattice),
          walk_next_(is_small_ ? kSmallLatticeNodes : 0), limit_(problem.limit) {}

    SearchResult run() {
        if (is_small_) descend();
        else walk();
        if (!nodes_.stopped())
            open(Levels(columns(), 0), nodes_.top(), nodes_.known(nodes_.top())->terms);
        while (!nodes_.stopped() && !open_.empty() && !beaten(open_.top().bound)) {
            nodes_.bound = std::max(nodes_.bound, open_.top().bound);
            if (nodes_.counted() >= walk_next_ && nodes_.found()) walk();
            else bound_more();
        }
        SearchResult result;
        result.found = nodes_.found();
        result.optimal = !nodes_.stopped() && result.found;
        result.levels = nodes_.best_levels();
        prefer_lower_levels(result);
        // A box never bounds less than the one it came from, so the last box bounds all open ones.
        result.bound =
            costs_.shown(result.optimal ? nodes_.best() : std::min(nodes_.best(), nodes_.bound));
        result.value = costs_.shown(nodes_.best());
        result.counted = nodes_.counted();
        return result;
    }

  private:
    size_t columns() const { return nodes_.columns(); }
    bool beaten(double bound) const { return nodes_.beaten(bound); }
    double nodes_of_lattice() const {
        double nodes = 1;
        for (const uint8_t height : nodes_.top()) nodes *= height + 1.0;
        return nodes;
    }

    // Takes the box with the least bound, which bounds all others too.
    void bound_more() {
        Box box = open_.top();
        open_.pop();
        if (!shrunk_since(box)) split(std::move(box));
        if (open_.size() + nodes_.size() > kRemembered) nodes_.stop();
    }

    // A turn of the walk; then bounding gets half as many nodes, and more and more if the walk has
    // found nothing for a while.
    void walk() {
        const int64_t before = nodes_.counted();
        const double best = nodes_.best();
        walk_.go_on();
        fruitless_ = nodes_.best() < best ? 0 : fruitless_ + 1;
        const int64_t share = std::min(kMostBounding, kBounding + fruitless_ / kPatience);
        walk_next_ =
            nodes_.counted() + std::max<int64_t>(1, share * (nodes_.counted() - before) / 2);
    }

    // Steepest descent from the top: a good node to beat, early.
    void descend() {
        Levels at = nodes_.top();
        double value = nodes_.known(at)->value;
        for (bool moved = true; moved && !nodes_.stopped();) {
            moved = false;
            Levels best_step;
            for (const auto& [least, j] : nodes_.steps_down(at)) {
                if (least >= value || nodes_.stopped()) break;  // no later step can do better
                Levels step = at;
                --step[j];
                const double stepped = nodes_.known(step)->value;
                if (stepped < value) {
                    value = stepped;
                    best_step = std::move(step);
                    moved = true;
                }
            }
            if (moved) at = std::move(best_step);
        }
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

    double shaved_bound(Levels& low, Levels& high, const std::vector<double>& terms) const {
        double bound = shave(low, high, terms);
        if (bound != kInfinity) bound += nodes_.way_past_dead(low, high, terms);
        return beaten(bound) ? kInfinity : bound;
    }

    // Where nearly nothing fell above, nearly nothing falls here: a count would say little.
    bool is_worth_counting(const LastCount& last) const {
        return is_small_ || last.uncounted >= kMostUncounted || last.certain * kHardly >= limit_;
    }

    // Makes a box as small as what is known allows, counts its top if that is worth it, and opens
    // it unless it is beaten.
    void open(Levels low, Levels high, Terms terms, LastCount last = {0, kMostUncounted}) {
        if (!costs_.by_columns()) return open_by_classes(std::move(low), std::move(high));
        while (terms && !nodes_.stopped()) {
            const double bound = shaved_bound(low, high, *terms);
            if (bound == kInfinity) return;
            Terms more = nodes_.what_is_known(high, terms);
            if (more == terms && (low == high || is_worth_counting(last))) {
                const auto top = nodes_.known(high);
                last = {top->count.certain, 0};
                more = top->dead ? nullptr : larger_terms(terms, top->terms);
            } else if (more == terms) {
                ++last.uncounted;
            }
            if (more == terms) {
                if (low != high)
                    push(std::move(low), std::move(high), bound, std::move(terms), last);
                return;
            }
            terms = std::move(more);
        }
    }

    void push(Levels low, Levels high, double bound, Terms terms, LastCount last = {}) {
        open_.push({std::move(low), std::move(high), bound, std::move(terms), order_++, last});
    }

    // The best node may have improved since the box was opened.
    bool shrunk_since(const Box& box) {
        if (!costs_.by_columns()) return false;
        Levels low = box.low, high = box.high;
        const double bound = shaved_bound(low, high, *box.terms);
        if (bound == box.bound && low == box.low && high == box.high) return false;
        if (bound != kInfinity) open(std::move(low), std::move(high), box.terms, box.last);
        return true;
    }

    void open_by_classes(Levels low, Levels high) {
        const auto top = nodes_.known(high);
        if (top->dead) return;
        const double bound = costs_.class_bound(nodes_.known(low)->count, top->count);
        if (!beaten(bound) && low != high) push(std::move(low), std::move(high), bound, nullptr);
    }

    // The column whose top level costs most more than the levels below it, and that tells most
    // records apart there, so that more of them fall; for class objectives, the column with the
    // most levels left.
    size_t column_to_split(const Box& box) {
        size_t chosen = columns();
        double most = 0;
        for (size_t j = 0; j < columns(); ++j) {
            if (box.low[j] == box.high[j]) continue;
            double gain = box.high[j] - box.low[j];
            if (costs_.by_columns()) {
                const double* terms = box.terms->data() + costs_.slot(j, 0);
                gain =
                    terms[box.high[j]] - *std::min_element(terms + box.low[j], terms + box.high[j]);
                if (!is_small_)
                    gain *= kCommonBits + nodes_.told_beyond(box.high, j, level_to_split(box, j));
            }
            if (chosen == columns() || gain > most) {
                chosen = j;
                most = gain;
            }
        }
        return chosen;
    }

    // The highest level that stays in the lower part: the one above costs most more.
    uint8_t level_to_split(const Box& box, size_t j) const {
        if (!costs_.by_columns()) return box.high[j] - 1;
        const double* terms = box.terms->data() + costs_.slot(j, 0);
        uint8_t chosen = box.low[j];
        for (uint8_t level = box.low[j]; level < box.high[j]; ++level)
            if (terms[level + 1] - terms[level] > terms[chosen + 1] - terms[chosen]) chosen = level;
        return chosen;
    }

    void split(Box box) {
        const size_t j = column_to_split(box);
        const uint8_t level = level_to_split(box, j);
        Levels high = box.high;
        high[j] = level;
        open(box.low, std::move(high), box.terms, box.last);
        box.low[j] = level + 1;
        box.last.uncounted = std::max(0, box.last.uncounted - 1);  // the top is the same
        if (!nodes_.stopped())
            open(std::move(box.low), std::move(box.high), std::move(box.terms), box.last);
    }

    // Among nodes of the same value the one that generalises less.
    void prefer_lower_levels(SearchResult& result) {
        if (!result.found) return;
        for (size_t j = 0; j < columns(); ++j)
            while (result.levels[j] > 0 && !nodes_.stopped()) {
                Levels lower = result.levels;
                --lower[j];
                const double tied = nodes_.best() + nodes_.tolerance();
                if (costs_.by_columns() &&
                    costs_.least_value(lower, *nodes_.known(result.levels)->terms) > tied)
                    break;  // no need to count it
                if (nodes_.known(lower)->value > tied) break;
                result.levels = lower;
            }
    }

    SearchedNodes nodes_;
    const SearchCosts& costs_;
    LatticeWalk walk_;
    const bool is_small_;    // the lattice
    int64_t walk_next_;      // nodes counted before the next turn
    int64_t fruitless_ = 0;  // turns
    const int64_t limit_;    // records that may be suppressed
    std::priority_queue<Box, std::vector<Box>, LaterFirst> open_;
    int64_t order_ = 0;
};
}  // namespace

SearchResult bounded_search(NodeCounter& counter, const SearchProblem& problem,
                            const Report& report) {
    return Search(counter, problem, report).run();
}
}  // namespace incrowd
