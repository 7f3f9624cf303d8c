#include "regions/cut_tree.hpp"

#include <stdexcept>

#include "core/arrays.hpp"

namespace incrowd {

namespace {

// Each node but the root, and each region, is the child of one earlier node.
void check(const CutTree& tree) {
    const auto n = static_cast<std::int64_t>(tree.column.size());
    const auto children = static_cast<std::int64_t>(tree.child.size());
    const auto wrong = [] { throw std::invalid_argument("split_tree: the cuts are no tree"); };
    if (tree.first.size() != tree.column.size() || tree.low.size() != tree.child.size()) wrong();
    if (n == 0 ? children != 0 : tree.first[0] != 0) wrong();
    const std::int64_t regions = children - n + 1;
    std::vector<std::uint8_t> node_seen(static_cast<std::size_t>(n), 0);
    std::vector<std::uint8_t> region_seen(static_cast<std::size_t>(regions > 0 ? regions : 0), 0);
    for (std::int64_t node = 0; node < n; ++node) {
        const auto at = static_cast<std::size_t>(node);
        const std::int64_t end = node + 1 < n ? tree.first[at + 1] : children;
        if (end > children || end - tree.first[at] < 2) wrong();
        for (std::int64_t c = tree.first[at]; c < end; ++c) {
            const std::int64_t to = tree.child[static_cast<std::size_t>(c)];
            const bool inside = to < 0 ? ~to < regions : to > node && to < n;
            if (!inside) wrong();
            auto& seen = to < 0 ? region_seen[static_cast<std::size_t>(~to)]
                                : node_seen[static_cast<std::size_t>(to)];
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
    using Side = std::vector<std::int32_t> SplitTree::*;

    // Children [from, to) of a node, and the place that will point to them.
    struct Some {
        std::int64_t node, from, to;
        Side side;
        std::size_t parent;
    };

    Some all_of(std::int64_t node, Side side, std::size_t parent) const {
        const auto at = static_cast<std::size_t>(node);
        auto end = static_cast<std::int64_t>(tree_.child.size());
        if (at + 1 < tree_.first.size()) end = tree_.first[at + 1];
        return {node, tree_.first[at], end, side, parent};
    }

    void write(Some some) {
        if (some.to - some.from == 1) {
            const std::int64_t to = tree_.child[static_cast<std::size_t>(some.from)];
            if (to < 0) {
                point(some, ~static_cast<std::int32_t>(split_.region.size()));
                split_.region.push_back(~to);
                return;
            }
            some = all_of(to, some.side, some.parent);
        }
        const std::size_t at = split_.column.size();
        const std::int64_t middle = some.from + (some.to - some.from + 1) / 2;
        point(some, static_cast<std::int32_t>(at));
        split_.column.push_back(tree_.column[static_cast<std::size_t>(some.node)]);
        split_.cut.push_back(tree_.low[static_cast<std::size_t>(middle)]);
        split_.left.push_back(0);
        split_.right.push_back(0);
        waiting_.push_back({some.node, middle, some.to, &SplitTree::right, at});
        waiting_.push_back({some.node, some.from, middle, &SplitTree::left, at});
    }

    void point(const Some& some, std::int32_t to) {
        if (some.side != nullptr) (split_.*some.side)[some.parent] = to;
    }

    const CutTree& tree_;
    SplitTree split_;
    std::vector<Some> waiting_;
};

template <typename T>
std::vector<T> copied(const In<T, 1>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

}  // namespace

SplitTree split_tree(const CutTree& tree) {
    check(tree);
    return Writer(tree).run();
}

void bind_cut_tree(nb::module_& module) {
    module.def(
        "split_tree",
        [](In<std::int32_t, 1> column, In<std::int64_t, 1> first, In<std::int32_t, 1> low,
           In<std::int64_t, 1> child) {
            SplitTree split;
            {
                nb::gil_scoped_release release;
                split = split_tree({copied(column), copied(first), copied(low), copied(child)});
            }
            return nb::make_tuple(to_numpy(std::move(split.column)), to_numpy(std::move(split.cut)),
                                  to_numpy(std::move(split.left)), to_numpy(std::move(split.right)),
                                  to_numpy(std::move(split.region)));
        },
        nb::arg("column"), nb::arg("first"), nb::arg("low"), nb::arg("child"));
}

}  // namespace incrowd
