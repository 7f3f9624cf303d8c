// K-Optimize (Bayardo and Agrawal, ICDE 2005): branch and bound over sets of splits, depth first,
// after a greedy start.  A node looks at its elements once per column.
// Twin: tests/naive_splits.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "split_nodes.hpp"
#include "workers.hpp"

namespace incrowd {

namespace {

constexpr std::size_t kMostStored = std::size_t{1} << 25;  // elements on the way down, in all nodes

constexpr double kStartShare = 0.75;  // of the limits, at most, before the search itself

struct Limits {
    std::int64_t suppressed, work, nodes;
    double seconds;
};

struct Result {
    std::vector<std::int32_t> splits;
    double cost = 0, bound = 0;
    std::int64_t nodes = 0;
    bool ended = false;
};

class Search {
  public:
    Search(const CutTable& table, bool by_target, const Limits& limits, Meter& meter)
        : nodes_(table, by_target), limits_(limits), meter_(meter) {}

    Result run() {
        start();
        result_.nodes = 1;
        push(nodes_.root());
        while (!open_.empty() && !spent()) {
            SplitNode& node = open_.back();
            if (node.next == node.tail.size()) {
                stored_ -= node.elements->size();
                open_.pop_back();
            } else {
                visit(node);
            }
        }
        result_.ended = open_.empty();
        result_.bound = result_.cost;
        for (const SplitNode& node : open_)
            for (std::size_t at = node.next; at < node.tail.size(); ++at)
                result_.bound = std::min(result_.bound, node.bound[at]);
        refine();
        return std::move(result_);
    }

  private:
    // The first set to be beaten: splits are added greedily, then each is taken away again and
    // others are added in its place, as long as that helps.
    void start() {
        SplitNode root = nodes_.root();
        take(root, nodes_.cost(root));
        climb(std::move(root), -1);
        bool better = true;
        while (better && !used_up(kStartShare)) {
            better = false;
            const std::vector<std::int32_t> splits = result_.splits;
            for (std::size_t at = 0; at < splits.size() && !better && !used_up(kStartShare); ++at) {
                const double before = result_.cost;
                std::vector<std::int32_t> others = splits;
                others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
                climb(with(others), splits[at]);
                better = result_.cost < before;
            }
        }
    }

    SplitNode with(const std::vector<std::int32_t>& splits) {
        SplitNode node = nodes_.root();
        for (std::int32_t split : splits) node = *nodes_.added(node, split, limits_.suppressed);
        return node;
    }

    // Adds the split that tells most pairs apart, but never `without`, until none does or all cost
    // more.
    void climb(SplitNode node, std::int32_t without) {
        double cost = nodes_.cost(node);
        std::vector<std::uint8_t> open(nodes_.splits(), 1);
        if (without >= 0) open[without] = 0;
        bool better = true;
        while (better && !used_up(kStartShare)) {
            better = false;
            const std::vector<double> changes = nodes_.changes(node);
            for (std::int32_t split; !better && (split = cheapest(changes, open)) >= 0;) {
                open[split] = 0;
                auto child = nodes_.added(node, split, limits_.suppressed);
                const double changed = child ? nodes_.cost(*child) : cost;
                if (!child || changed > cost) continue;
                node = std::move(*child);
                cost = changed;
                better = true;
            }
        }
        if (cost < result_.cost) take(node, cost);
    }

    static std::int32_t cheapest(const std::vector<double>& changes,
                                 const std::vector<std::uint8_t>& open) {
        std::int32_t best = -1;
        for (std::size_t at = 0; at < changes.size(); ++at)
            if (open[at] && changes[at] < (best < 0 ? 0.0 : changes[best]))
                best = static_cast<std::int32_t>(at);
        return best;
    }

    void visit(SplitNode& node) {
        const std::size_t at = node.next++;
        if (node.bound[at] >= result_.cost) return;
        ++result_.nodes;
        auto child = nodes_.added(node, node.tail[at], limits_.suppressed);
        if (!child) return;
        const double cost = nodes_.cost(*child);
        if (cost < result_.cost) take(*child, cost);
        for (std::size_t later = node.next; later < node.tail.size(); ++later)
            if (node.bound[later] < result_.cost) child->tail.push_back(node.tail[later]);
        push(std::move(*child));
    }

    // Opens a node, unless nothing below it can be better.  Splits that cannot help are dropped
    // from its tail, which raises the bounds of the others, until all remain.
    void push(SplitNode&& node) {
        const Effects* effects = nullptr;
        std::size_t before = 0;
        do {
            before = node.tail.size();
            const double bound = before ? nodes_.bound(node) : result_.cost;
            if (bound >= result_.cost) return;
            effects = &nodes_.effects(node);
            std::vector<std::int32_t> tail;
            for (std::int32_t split : node.tail)
                if (effects->divided[split] &&
                    effects->fallen[split] <= limits_.suppressed - node.suppressed &&
                    bound + effects->cost[split] < result_.cost)
                    tail.push_back(split);
            node.tail = std::move(tail);
            node.bound.clear();
            for (std::int32_t split : node.tail) node.bound.push_back(bound + effects->cost[split]);
        } while (node.tail.size() < before && !used_up(1));
        order(node, *effects);
        stored_ += node.elements->size();
        open_.push_back(std::move(node));
    }

    // Splits that divide most classes come first: their subtrees have the best bounds.
    static void order(SplitNode& node, const Effects& effects) {
        std::vector<std::pair<std::int32_t, double>> tail;
        for (std::size_t at = 0; at < node.tail.size(); ++at)
            tail.emplace_back(node.tail[at], node.bound[at]);
        std::stable_sort(tail.begin(), tail.end(), [&](const auto& a, const auto& b) {
            return effects.divided[a.first] > effects.divided[b.first];
        });
        for (std::size_t at = 0; at < tail.size(); ++at)
            std::tie(node.tail[at], node.bound[at]) = tail[at];
    }

    // Adds every split that costs nothing, and no record, to the best set.
    void refine() {
        const std::int64_t most = nodes_.work() + limits_.work / 4;
        SplitNode node = with(result_.splits);
        std::vector<std::uint8_t> made(nodes_.splits(), 0);
        for (std::int32_t split : result_.splits) made[split] = 1;
        for (std::size_t split = 0; split < made.size() && nodes_.work() < most; ++split) {
            if (made[split]) continue;
            auto child = nodes_.added(node, static_cast<std::int32_t>(split), node.suppressed);
            if (!child) continue;
            const double cost = nodes_.cost(*child);
            if (cost > result_.cost) continue;
            node = std::move(*child);
            take(node, cost);
            meter_.advance(0);
        }
        result_.bound = std::min(result_.bound, result_.cost);
    }

    void take(const SplitNode& node, double cost) {
        result_.splits = node.head;
        result_.cost = cost;
    }

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
    Limits limits_;
    Meter& meter_;
    Clock::time_point start_ = Clock::now();
    std::int64_t reported_ = 0;
    std::vector<SplitNode> open_;
    std::size_t stored_ = 0;
    Result result_;
};

nb::tuple k_optimize(In<std::int32_t, 2> places, In<std::int64_t, 1> sizes,
                     In<std::int64_t, 1> records, In<std::int32_t, 1> target,
                     In<std::uint8_t, 2> covers, In<std::int64_t, 1> least, bool by_target,
                     std::int64_t most_suppressed, std::int64_t work_limit, std::int64_t node_limit,
                     double time_limit, Meter::Report report) {
    if (most_suppressed < 0 || work_limit < 1 || node_limit < 1 || !(time_limit > 0))
        throw std::invalid_argument("k_optimize: a limit is out of range");
    std::vector<std::uint8_t> made;
    Result result;
    {
        const nb::gil_scoped_release release;
        const CutTable table = cut_table(places, sizes, records, target, covers, least);
        Meter meter(report);
        const Limits limits{most_suppressed, work_limit, node_limit, time_limit};
        result = Search(table, by_target, limits, meter).run();
        std::size_t splits = 0;
        for (std::int32_t size : table.sizes) splits += static_cast<std::size_t>(size) - 1;
        made.assign(splits, 0);
        for (std::int32_t split : result.splits) made[split] = 1;
    }
    return nb::make_tuple(to_numpy(std::move(made)), result.cost, result.bound, result.ended,
                          result.nodes);
}

}  // namespace

void bind_k_optimize(nb::module_& module) {
    module.def("k_optimize", &k_optimize, nb::arg("places"), nb::arg("sizes"), nb::arg("records"),
               nb::arg("target"), nb::arg("covers"), nb::arg("least"), nb::arg("by_target"),
               nb::arg("most_suppressed"), nb::arg("work_limit"), nb::arg("node_limit"),
               nb::arg("time_limit"), nb::arg("report"));
}

}  // namespace incrowd
