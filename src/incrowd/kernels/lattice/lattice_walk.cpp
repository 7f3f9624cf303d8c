#include "lattice/lattice_walk.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd {
namespace {
constexpr int64_t kTurn = 32;   // nodes, then others may have theirs
constexpr int64_t kKicked = 3;  // columns, and one more for each round that saw nothing new
// For each round, up to so many, steps count as worth a try that are guessed so far beyond the
// limit, or to give so much more.
constexpr int64_t kMostDaring = 4;
constexpr int64_t kFurther = FallGuess::kBit / 4;
constexpr double kMoreLoss = 0.005;

template <typename T>
void shuffle(std::vector<T>& order, Random& random) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}
}  // namespace

void LatticeWalk::go_on() {
    pause_ = nodes_.counted() + kTurn;
    if (phase_ == Phase::none) begin();
    if (phase_ == Phase::down) go_down_anyhow();
    while (phase_ == Phase::improve && !paused())
        if (!improve() && !paused()) end();
}

void LatticeWalk::begin() {
    began_ = nodes_.counted();
    phase_ = rounds_ > 0 && rounds_ % 2 == 0 ? Phase::down : Phase::improve;
    if (rounds_ % 2 == 1) kick();
    else stand_at(nodes_.top());
}

void LatticeWalk::end() {
    ++rounds_;
    idle_ = nodes_.counted() > began_ ? 0 : idle_ + 1;
    phase_ = Phase::none;
}

void LatticeWalk::stand_at(const Levels& levels) {
    const auto node = nodes_.known(levels);
    at_ = levels;
    value_ = node->value;
    fell_ = node->count.suppressed;
    if (fell_ > 0 && value_ < kInfinity)
        cost_ = (value_ - nodes_.least_value(at_)) / static_cast<double>(fell_);
}

std::vector<size_t> LatticeWalk::shuffled_columns() {
    std::vector<size_t> order(nodes_.columns());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random_);
    return order;
}

void LatticeWalk::kick() {
    Levels above = nodes_.best_levels();
    int64_t kicked = 0;
    for (const size_t j : shuffled_columns()) {
        if (above[j] == nodes_.top()[j] || kicked == kKicked + idle_) continue;
        ++above[j];
        ++kicked;
    }
    stand_at(above);
}

void LatticeWalk::go_down_anyhow() {
    for (bool moved = true; moved;) {
        moved = false;
        for (const size_t j : shuffled_columns()) {
            if (paused()) return;
            if (at_[j] == 0) continue;
            Levels below = at_;
            --below[j];
            moved = goes_to(below);
            if (moved) break;
        }
    }
    phase_ = Phase::improve;
}

// Takes a step that gives less loss, if there is one that is worth a try.
bool LatticeWalk::improve() {
    Steps left = steps();
    while (!paused()) {
        const auto next = most_promising(left);
        if (next == left.end()) return false;
        const Levels levels = after(*next);
        left.erase(next);
        if (goes_to(levels)) return true;
    }
    return false;
}

// Goes there if that gives less loss.
bool LatticeWalk::goes_to(const Levels& levels) {
    if (nodes_.cannot_give_less(levels, value_)) return false;
    const auto node = nodes_.known(levels);
    guess_.learn(at_, fell_, levels, node->count.suppressed);
    if (node->value >= value_) return false;
    stand_at(levels);
    return true;
}

Levels LatticeWalk::after(const Step& step) const {
    Levels levels = at_;
    if (step.down < levels.size()) --levels[step.down];
    if (step.up < levels.size()) ++levels[step.up];
    return levels;
}

// All that may give less, those that lower a column alone first.
LatticeWalk::Steps LatticeWalk::steps() {
    const std::vector<size_t> columns = shuffled_columns();
    const size_t none = columns.size();
    Steps steps;
    const auto add = [&](size_t down, size_t up) {
        const double least = nodes_.least_value(after({down, up, 0}));
        if (least < value_) steps.emplace_back(down, up, least);
    };
    for (const size_t down : columns)
        if (at_[down] > 0) add(down, none);
    for (const size_t up : columns) {
        if (at_[up] == nodes_.top()[up]) continue;
        add(none, up);
        for (const size_t down : columns)
            if (down != up && at_[down] > 0) add(down, up);
    }
    return steps;
}

int64_t LatticeWalk::guessed_fall(const Step& step) const {
    int64_t fall = FallGuess::logarithm(fell_);
    if (step.down < at_.size()) fall += guess_.more(step.down, at_[step.down], at_[step.down] - 1);
    if (step.up < at_.size()) fall += guess_.more(step.up, at_[step.up], at_[step.up] + 1);
    return fall;
}

// The one that goes least beyond the limit: in the first round that which gives least, later the
// first.
LatticeWalk::Steps::iterator LatticeWalk::most_promising(Steps& steps) const {
    const int64_t limit = FallGuess::logarithm(nodes_.limit());
    const int64_t daring = std::min(rounds_, kMostDaring) + idle_;
    const double enough = value_ * (1 + kMoreLoss * static_cast<double>(daring));
    auto chosen = steps.end();
    std::pair<int64_t, double> least;
    for (auto step = steps.begin(); step != steps.end(); ++step) {
        const int64_t fall = guessed_fall(*step), beyond = std::max<int64_t>(0, fall - limit);
        const double guess = step->least + cost_ * FallGuess::records(fall);
        const bool raises = step->up < at_.size();
        if (raises && (beyond > kFurther * daring || guess >= enough)) continue;
        const std::pair promise(beyond, rounds_ == 0 ? guess : 0.0);
        if (chosen != steps.end() && promise >= least) continue;
        chosen = step;
        least = promise;
    }
    return chosen;
}
}  // namespace incrowd
