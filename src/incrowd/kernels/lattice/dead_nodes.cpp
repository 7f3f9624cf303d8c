#include "lattice/dead_nodes.hpp"

#include <limits>

namespace incrowd {
namespace {
constexpr size_t kMostKept = 1'000;  // each is looked at for every box
}  // namespace

void DeadNodes::add(const Levels& levels) {
    if (covers(levels)) return;
    std::erase_if(nodes_, [&](const Levels& dead) { return lies_below(dead, levels); });
    if (nodes_.size() < kMostKept) nodes_.push_back(levels);
}

bool DeadNodes::covers(const Levels& levels) const {
    return std::ranges::any_of(nodes_,
                               [&](const Levels& dead) { return lies_below(levels, dead); });
}

double DeadNodes::least_way_past(const Levels& low, const Levels& high,
                                 const std::vector<LatticeColumn>& columns,
                                 const std::vector<double>& past) const {
    double most = 0;
    for (const Levels& dead : nodes_) {
        if (!lies_below(low, dead)) continue;  // the whole box is past it
        double cheapest = std::numeric_limits<double>::infinity();
        for (size_t j = 0; j < dead.size() && cheapest > most; ++j)
            if (dead[j] < high[j])
                cheapest = std::min(cheapest, past[columns[j].slot + dead[j] + 1]);
        most = std::max(most, cheapest);
    }
    return most;
}
}  // namespace incrowd
