#include "regions/cut_tree.hpp"

#include <stdexcept>

namespace incrowd {
namespace {
// Each node but the root, and each region, is the child of one earlier node.
void check(const CutTree& tree) {
    const auto n = static_cast<int64_t>(tree.column.size());
    const auto children = static_cast<int64_t>(tree.child.size());
    const auto wrong = [] { throw std::invalid_argument("split_tree: the cuts are no tree"); };
    if (tree.first.size() != tree.column.size() || tree.low.size() != tree.child.size()) wrong();
    if (n == 0 ? children != 0 : tree.first[0] != 0) wrong();
    const int64_t regions = children - n + 1;
    std::vector<uint8_t> node_seen(static_cast<size_t>(n), 0);
    std::vector<uint8_t> region_seen(static_cast<size_t>(regions > 0 ? regions : 0), 0);
    for (int64_t node = 0; node < n; ++node) {
        const auto at = static_cast<size_t>(node);
        const int64_t end = node + 1 < n ? tree.first[at + 1] : children;
        if (end > children || end - tree.first[at] < 2) wrong();
        for (int64_t c = tree.first[at]; c < end; ++c) {
            const int64_t to = tree.child[c];
            const bool inside = to < 0 ? ~to < regions : to > node && to < n;
            if (!inside) wrong();
            auto& seen = to < 0 ? region_seen[~to] : node_seen[to];
            if (seen++) wrong();
        }
    }
}

class Writer {
  public:
    explicit Writer(const CutTree& tree) : tree_(tree) {}

    SplitTree run() {
        if (tree_.column.empty()) {
            split_.region.push_back(0);
            return std::move(split_);
        }
        waiting_.push_back(all_of(0, nullptr, 0));
        while (!waiting_.empty()) {
            const Some some = waiting_.back();
            waiting_.pop_back();
            write(some);
        }
        return std::move(split_);
    }

  private:
    using Side = std::vector<int32_t> SplitTree::*;

    // Children [from, to) of a node, and the place that will point to them.
    struct Some {
        int64_t node, from, to;
        Side side;
        size_t parent;
    };

    Some all_of(int64_t node, Side side, size_t parent) const {
        const auto at = static_cast<size_t>(node);
        auto end = static_cast<int64_t>(tree_.child.size());
        if (at + 1 < tree_.first.size()) end = tree_.first[at + 1];
        return {node, tree_.first[at], end, side, parent};
    }

    void write(Some some) {
        if (some.to - some.from == 1) {
            const int64_t to = tree_.child[some.from];
            if (to < 0) {
                point(some, ~static_cast<int32_t>(split_.region.size()));
                split_.region.push_back(~to);
                return;
            }
            some = all_of(to, some.side, some.parent);
        }
        const size_t at = split_.column.size();
        const int64_t middle = some.from + (some.to - some.from + 1) / 2;
        point(some, static_cast<int32_t>(at));
        split_.column.push_back(tree_.column[some.node]);
        split_.cut.push_back(tree_.low[middle]);
        split_.left.push_back(0);
        split_.right.push_back(0);
        waiting_.push_back({some.node, middle, some.to, &SplitTree::right, at});
        waiting_.push_back({some.node, some.from, middle, &SplitTree::left, at});
    }

    void point(const Some& some, int32_t to) {
        if (some.side != nullptr) (split_.*some.side)[some.parent] = to;
    }

    const CutTree& tree_;
    SplitTree split_;
    std::vector<Some> waiting_;
};

// Children come after their parent, so that no walk goes round in circles.
void check(const SplitTree& tree, size_t d) {
    const auto n = static_cast<int64_t>(tree.column.size());
    bool sound = tree.cut.size() == tree.column.size() && tree.left.size() == tree.column.size() &&
                 tree.right.size() == tree.column.size();
    for (int64_t at = 0; sound && at < n; ++at) {
        const int32_t l = tree.left[at], r = tree.right[at];
        sound = static_cast<uint32_t>(tree.column[at]) < d && (l < 0 || (l > at && l < n)) &&
                (r < 0 || (r > at && r < n));
    }
    if (!sound) throw std::invalid_argument("regions_of: a split tree is damaged");
}
}  // namespace

SplitTree split_tree(const CutTree& tree) {
    check(tree);
    return Writer(tree).run();
}

std::vector<int32_t> regions_of(std::span<const int32_t> codes, size_t d, size_t m,
                                const SplitTree& tree) {
    check(tree, d);
    std::vector<int32_t> region_of(m, 0);
    if (tree.column.empty()) return region_of;
    for (size_t i = 0; i < m; ++i) {
        int32_t at = 0;
        while (at >= 0)
            at = codes[tree.column[at] * m + i] < tree.cut[at] ? tree.left[at] : tree.right[at];
        region_of[i] = ~at;
    }
    return region_of;
}
}  // namespace incrowd
