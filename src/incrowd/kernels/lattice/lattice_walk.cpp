#include "lattice/lattice_walk.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd {
namespace {
constexpr size_t kKicked = 3;  // columns, and one more for each round that saw nothing new

template <typename T>
void shuffle(std::vector<T>& order, Random& random) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}
}  // namespace

void LatticeWalk::round() {
    const int64_t before = nodes_.counted();
    at_ = nodes_.best_levels();
    if (started_) kick();
    started_ = true;
    value_ = nodes_.known(at_)->value;
    do go_down();
    while (!nodes_.stopped() && exchange());
    idle_ = nodes_.counted() > before ? 0 : idle_ + 1;
}

std::vector<size_t> LatticeWalk::shuffled_columns() {
    std::vector<size_t> order(nodes_.columns());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random_);
    return order;
}

void LatticeWalk::kick() {
    size_t kicked = 0;
    for (const size_t j : shuffled_columns()) {
        if (at_[j] == nodes_.top()[j] || kicked == kKicked + idle_) continue;
        ++at_[j];
        ++kicked;
    }
}

// Goes there if it improves.
bool LatticeWalk::improves(const Levels& levels) {
    if (nodes_.known_dead(levels)) return false;
    const double value = nodes_.known(levels)->value;
    if (value >= value_) return false;
    at_ = levels;
    value_ = value;
    return true;
}

// The first step that improves is taken: where the order is left to chance, walks from the same
// node end at different ones.
void LatticeWalk::go_down() {
    for (bool moved = true; moved && !nodes_.stopped();) {
        moved = false;
        auto steps = nodes_.steps_down(at_);
        shuffle(steps, random_);
        for (const auto& [least, j] : steps) {
            if (least >= value_) continue;
            Levels step = at_;
            --step[j];
            moved = improves(step);
            if (moved || nodes_.stopped()) break;
        }
    }
}

bool LatticeWalk::exchange() {
    const Levels from = at_;
    for (const size_t i : shuffled_columns()) {
        if (from[i] == nodes_.top()[i]) continue;
        Levels raised = from;
        ++raised[i];
        if (lower_after_raising(raised, i)) return true;
        if (nodes_.stopped()) break;
    }
    return false;
}

bool LatticeWalk::lower_after_raising(const Levels& raised, size_t except) {
    if (improves(raised)) return true;
    for (const auto& [least, j] : nodes_.steps_down(raised)) {
        if (least >= value_ || nodes_.stopped()) break;  // no later step can do better
        if (j == except) continue;
        Levels step = raised;
        --step[j];
        if (improves(step)) return true;
    }
    return false;
}
}  // namespace incrowd
