#include "subtree/node_cuts.hpp"

#include <algorithm>

namespace incrowd {
int32_t NodeCuts::number(const std::vector<int32_t>& cut) {
    const auto next = static_cast<int32_t>(cuts_.size());
    const auto [at, fresh] = number_of_.try_emplace(cut, next);
    if (fresh) cuts_.push_back(&at->first);
    return at->second;
}

int32_t NodeCuts::generalised(int32_t from, std::span<const int32_t> nodes) {
    changed_ = cut(from);
    for (const int32_t node : nodes)
        std::fill(changed_.begin() + tree_.low[node], changed_.begin() + tree_.high[node], node);
    return number(changed_);
}
}  // namespace incrowd
