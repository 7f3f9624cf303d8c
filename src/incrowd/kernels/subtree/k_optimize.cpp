#include "subtree/k_optimize.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "subtree/k_optimize_nodes.hpp"

namespace incrowd {
namespace {
constexpr size_t kMostStored = size_t{1} << 25;  // elements on the way down, in all nodes

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kStartShare = 0.75;  // of the limits, at most, before the search itself

class Search {
  public:
    Search(const CutTable& table, const AskedOfCuts& asked, const SplitItems& items, bool by_target,
           const KOptimizeLimits& limits, Meter& meter)
        : nodes_(table, asked, items, by_target), items_(items), limits_(limits), meter_(meter) {}

    KOptimized run() {
        start();
        result_.nodes = 1;
        push(nodes_.root());
        while (!open_.empty() && !spent()) {
            SplitNode& node = open_.back();
            if (node.next == node.tail.size()) {
                stored_ -= size(node);
                open_.pop_back();
            } else {
                visit(node);
            }
        }
        result_.ended = open_.empty();
        result_.bound = result_.cost;
        for (const SplitNode& node : open_)
            for (size_t at = node.next; at < node.tail.size(); ++at)
                if (ready(node, node.tail[at]))
                    result_.bound = std::min(result_.bound, node.bound[at]);
        refine();
        return std::move(result_);
    }

  private:
    // The first set to be beaten: items are added greedily, then each is taken away again, with
    // those that ask for it, and others are added in its place, as long as that helps.
    void start() {
        SplitNode root = nodes_.root();
        take(root, cost_of(root));
        climb(std::move(root), -1);
        bool better = true;
        while (better && !used_up(kStartShare)) {
            better = false;
            const std::vector<int32_t> items = result_.items;
            for (size_t at = 0; at < items.size() && !better && !used_up(kStartShare); ++at) {
                const double before = result_.cost;
                std::vector<int32_t> others = items;
                others.erase(others.begin() + at);
                climb(with(closed({}, others)), items[at]);
                better = result_.cost < before;
            }
        }
    }

    SplitNode with(const std::vector<int32_t>& items) {
        SplitNode node = nodes_.root();
        for (int32_t item : items) node = *nodes_.added(node, item, limits_.suppressed);
        return node;
    }

    // Those of some items, parents first, whose parent is among them or made.
    std::vector<int32_t> closed(const std::vector<int32_t>& made,
                                const std::vector<int32_t>& items) {
        mark(made);
        std::vector<int32_t> kept;
        for (int32_t item : items)
            if (items_[item].parent < 0 || marked_[items_[item].parent]) {
                marked_[item] = 1;
                kept.push_back(item);
            }
        return kept;
    }

    void mark(const std::vector<int32_t>& made) {
        marked_.assign(items_.size(), 0);
        for (int32_t item : made) marked_[item] = 1;
    }

    // Whether an item can be made at a node.
    bool ready(const SplitNode& node, int32_t item) const {
        const int32_t parent = items_[item].parent;
        return parent < 0 || std::ranges::find(node.head, parent) != node.head.end();
    }

    // Adds the item that tells most pairs apart, but never `without`, until none does or all cost
    // more.
    void climb(SplitNode node, int32_t without) {
        double cost = cost_of(node);
        std::vector<uint8_t> open(items_.size(), 1);
        if (without >= 0) open[without] = 0;
        bool better = true;
        while (better && !used_up(kStartShare)) {
            better = false;
            const std::vector<double> changes = nodes_.changes(node);
            for (int32_t item; !better && (item = cheapest(changes, open)) >= 0;) {
                open[item] = 0;
                auto child = nodes_.added(node, item, limits_.suppressed);
                const double changed = child ? cost_of(*child, cost) : cost;
                if (!child || changed > cost) continue;
                node = std::move(*child);
                cost = changed;
                better = true;
            }
        }
        if (cost < result_.cost) take(node, cost);
    }

    // An item that tells nothing apart is worth a try if others ask for it.
    int32_t cheapest(const std::vector<double>& changes, const std::vector<uint8_t>& open) const {
        int32_t best = -1, free = -1;
        for (size_t at = 0; at < changes.size(); ++at) {
            const auto item = static_cast<int32_t>(at);
            if (!open[at]) continue;
            if (changes[at] < (best < 0 ? 0.0 : changes[best])) best = item;
            if (free < 0 && changes[at] == 0 && items_.has_children(item)) free = item;
        }
        return best < 0 ? free : best;
    }

    void visit(SplitNode& node) {
        const size_t at = node.next++;
        if (node.bound[at] >= result_.cost || !ready(node, node.tail[at])) return;
        ++result_.nodes;
        auto child = nodes_.added(node, node.tail[at], limits_.suppressed);
        if (!child) return;
        const double cost = cost_of(*child, result_.cost);
        if (cost < result_.cost) take(*child, cost);
        std::vector<int32_t> tail;
        for (size_t later = node.next; later < node.tail.size(); ++later)
            if (node.bound[later] < result_.cost) tail.push_back(node.tail[later]);
        child->tail = closed(child->head, tail);
        push(std::move(*child));
    }

    // The paper's pruning.  Opens a node, unless its bound says that nothing below it can be better
    // than the best set so far.  Items that cannot help are dropped from its tail, which raises the
    // bounds of the others, until all remain.
    void push(SplitNode&& node) {
        const Effects* effects = nullptr;
        double bound = 0;
        size_t before = 0;
        do {
            before = node.tail.size();
            bound = before ? nodes_.bound(node) : result_.cost;
            if (bound >= result_.cost) return;
            effects = &nodes_.effects(node);
            std::vector<int32_t> tail;
            for (int32_t item : node.tail)
                if (effects->fallen[item] <= limits_.suppressed - node.suppressed &&
                    bound + effects->cost[item] < result_.cost)
                    tail.push_back(item);
            settle(node, closed(node.head, tail), *effects);
        } while (node.tail.size() < before && !used_up(1));
        order(node, *effects);
        node.bound.clear();
        for (int32_t item : node.tail) node.bound.push_back(bound + effects->cost[item]);
        stored_ += size(node);
        open_.push_back(std::move(node));
    }

    // An item that divides no class is dropped, unless others in the tail ask for it.  If they do
    // and it can be made, it is: that changes nothing but what may be added.
    void settle(SplitNode& node, const std::vector<int32_t>& tail, const Effects& effects) {
        std::vector<uint8_t>& asked = marked_;
        asked.assign(items_.size(), 0);
        std::vector<int32_t> kept;
        for (size_t at = tail.size(); at-- > 0;) {  // children before their parents
            const int32_t item = tail[at], parent = items_[item].parent;
            if (!effects.divided[item] && !asked[item]) continue;
            kept.push_back(item);
            if (parent >= 0) asked[parent] = 1;
        }
        node.tail.clear();
        for (size_t at = kept.size(); at-- > 0;) {
            const bool idle = !effects.divided[kept[at]] && ready(node, kept[at]);
            (idle ? node.head : node.tail).push_back(kept[at]);
        }
    }

    // Items that divide most classes come first: their subtrees have the best bounds.  Those that
    // others ask for come before them.
    void order(SplitNode& node, const Effects& effects) const {
        std::vector<int32_t> most = effects.divided;
        for (size_t at = node.tail.size(); at-- > 0;) {
            const int32_t item = node.tail[at], parent = items_[item].parent;
            if (parent >= 0) most[parent] = std::max(most[parent], most[item]);
        }
        std::ranges::stable_sort(node.tail,
                                 [&](int32_t a, int32_t b) { return most[a] > most[b]; });
    }

    // Adds every item that costs nothing, and no record, to the best set.
    void refine() {
        const int64_t most = nodes_.work() + limits_.work / 4;
        SplitNode node = with(result_.items);
        mark(result_.items);
        for (size_t at = 0; at < items_.size() && nodes_.work() < most; ++at) {
            const auto item = static_cast<int32_t>(at);
            const int32_t parent = items_[item].parent;
            if (marked_[item] || (parent >= 0 && !marked_[parent])) continue;
            auto child = nodes_.added(node, item, node.suppressed);
            if (!child) continue;
            const double cost = cost_of(*child, result_.cost);
            if (cost > result_.cost) continue;
            node = std::move(*child);
            marked_[item] = 1;
            take(node, cost);
            meter_.advance(0);
        }
        result_.bound = std::min(result_.bound, result_.cost);
    }

    double cost_of(const SplitNode& node, double most = kAny) {
        return nodes_.cost(node, limits_.suppressed, most);
    }

    void take(const SplitNode& node, double cost) {
        result_.items = node.head;
        result_.cost = cost;
    }

    static size_t size(const SplitNode& node) { return node.elements->size() + node.tail.size(); }

    // Whether that share of the work and the time is used up.
    bool used_up(double share) {
        meter_.advance(nodes_.work() - reported_);
        reported_ = nodes_.work();
        const std::chrono::duration<double> passed = Clock::now() - start_;
        return static_cast<double>(nodes_.work()) >= share * static_cast<double>(limits_.work) ||
               passed.count() >= share * limits_.seconds;
    }

    bool spent() { return result_.nodes >= limits_.nodes || stored_ > kMostStored || used_up(1); }

    using Clock = std::chrono::steady_clock;
    SplitNodes nodes_;
    const SplitItems& items_;
    std::vector<uint8_t> marked_;  // by item
    KOptimizeLimits limits_;
    Meter& meter_;
    Clock::time_point start_ = Clock::now();
    int64_t reported_ = 0;
    std::vector<SplitNode> open_;
    size_t stored_ = 0;
    KOptimized result_;
};
}  // namespace

KOptimized k_optimize(const CutTable& table, const AskedOfCuts& asked, const SplitItems& items,
                      bool by_target, const KOptimizeLimits& limits, Meter& meter) {
    return Search(table, asked, items, by_target, limits, meter).run();
}
}  // namespace incrowd
