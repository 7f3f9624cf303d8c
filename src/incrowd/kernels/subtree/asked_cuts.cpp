#include "subtree/asked_cuts.hpp"

#include <numeric>
#include <utility>

namespace incrowd {
AskedCuts::AskedCuts(const CutTable& table, const AskedOfCuts& asked)
    : table_(table), asked_(asked), everyone_(table.tuples) {
    for (const auto& columns : asked.views) counters_.emplace_back(table, columns);
    std::iota(everyone_.begin(), everyone_.end(), 0);
}

int64_t AskedCuts::run(const Cuts& cuts, int64_t limit, std::vector<uint8_t>& fallen) {
    std::vector<View> views(counters_.size());
    for (size_t v = 0; v < views.size(); ++v) {
        views[v].classes = counters_[v].number(cuts, everyone_, views[v].class_of);
        views[v].root = views[v].classes == 1 ? 0 : -1;  // then it may be what masked records show
    }
    Suppression suppression(*asked_.requirements, {table_.records, asked_.requirements->kind()},
                            std::move(views), asked_.masks);
    Fallen found = suppression.run(limit);
    fallen = std::move(found.items);
    return found.records;
}
}  // namespace incrowd
