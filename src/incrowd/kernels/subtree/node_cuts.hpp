// The cuts of one column that a search has met, each kept once under a number.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
// The nodes of a hierarchy: each holds the leaf codes [low, high); children come before their
// parents, and what has nothing above it, as the root, is its own parent.
struct NodeTree {
    std::vector<int32_t> low, high, parent;
    std::vector<int32_t> leaf;  // by leaf code: the node it is by itself
};

class NodeCuts {
  public:
    explicit NodeCuts(NodeTree tree) : tree_(std::move(tree)) { number(tree_.leaf); }
    NodeCuts(const NodeCuts&) = delete;  // the numbers point into the map
    NodeCuts(NodeCuts&&) = default;

    const NodeTree& tree() const { return tree_; }
    // By leaf code the node it is released as; cut 0 leaves every leaf as it is.
    const std::vector<int32_t>& cut(int32_t number) const { return *cuts_[number]; }
    // The cut in which everything below these nodes is released as they are: they ascend, and of
    // those that lie in each other the highest, which is the last, counts.
    int32_t generalised(int32_t from, std::span<const int32_t> nodes);

  private:
    int32_t number(const std::vector<int32_t>& cut);

    NodeTree tree_;
    std::map<std::vector<int32_t>, int32_t> number_of_;
    std::vector<const std::vector<int32_t>*> cuts_;
    std::vector<int32_t> changed_;
};
}  // namespace incrowd
