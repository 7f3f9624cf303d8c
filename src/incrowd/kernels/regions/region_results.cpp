#include "regions/region_results.hpp"

#include <algorithm>

namespace incrowd::region_search {
namespace {
template <typename T>
void append(std::vector<T>& to, const std::vector<T>& some) {
    to.insert(to.end(), some.begin(), some.end());
}

void write(const Subtree& from, size_t region, size_t d, bool divides, Found& into) {
    const size_t at = region * d;
    into.low.insert(into.low.end(), from.low.begin() + at, from.low.begin() + at + d);
    into.high.insert(into.high.end(), from.high.begin() + at, from.high.begin() + at + d);
    if (!divides) return;
    const size_t end =
        region + 1 < from.first_part.size() ? from.first_part[region + 1] : from.tuple.size();
    for (size_t part = from.first_part[region]; part < end; ++part) {
        into.tuple.push_back(from.tuple[part]);
        into.records.push_back(from.records[part]);
        into.class_of.push_back(into.n_classes);
    }
    ++into.n_classes;
}
}  // namespace

Found joined(const std::deque<Subtree>& subtrees, size_t columns, bool divides) {
    Found found;
    CutTree& all = found.cuts;
    std::vector<int64_t> first_node, first_child, first_region;
    int64_t regions = 0;
    for (const Subtree& subtree : subtrees) {
        first_node.push_back(static_cast<int64_t>(all.column.size()));
        first_child.push_back(static_cast<int64_t>(all.child.size()));
        first_region.push_back(regions);
        regions += subtree.regions;
        append(all.column, subtree.cuts.column);
        append(all.low, subtree.cuts.low);
        append(found.score, subtree.score);
        for (const int64_t first : subtree.cuts.first)
            all.first.push_back(first + first_child.back());
        for (const int64_t child : subtree.cuts.child)
            all.child.push_back(child < 0 ? child - first_region.back()
                                          : child + first_node.back());
    }
    for (size_t s = 0; s < subtrees.size(); ++s)
        for (const auto& [child, task] : subtrees[s].tasks)
            all.child[static_cast<size_t>(first_child[s]) + child] =
                subtrees[task].cuts.column.empty() ? ~first_region[task] : first_node[task];
    found.tree = split_tree(all);
    for (const int64_t region : found.tree.region) {
        const auto s =
            static_cast<size_t>(std::upper_bound(first_region.begin(), first_region.end(), region) -
                                first_region.begin() - 1);
        write(subtrees[s], region - first_region[s], columns, divides, found);
    }
    return found;
}
}  // namespace incrowd::region_search
