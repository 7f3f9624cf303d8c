#include "class_search.hpp"

#include <algorithm>

namespace incrowd {

ClassSearch::ClassSearch(EditableClasses& classes, std::int64_t k, std::uint64_t seed, Judge judge)
    : classes_(classes), k_(k), random_(seed), judge_(std::move(judge)) {}

// Keeps the step if it gained and nobody objects.
bool ClassSearch::settle() {
    if (classes_.gained() > 0 && (!judge_ || judge_(classes_.touched()))) {
        classes_.commit();
        return true;
    }
    classes_.roll_back();
    return false;
}

void ClassSearch::dissolve_and_move() {
    std::vector<std::pair<std::int64_t, std::int32_t>> order;
    for (std::int32_t c = 0; c < classes_.n_classes(); ++c)
        if (classes_.alive(c) && !classes_.has_fixed(c))
            order.emplace_back(-classes_.unit_cost(c), c);
    std::sort(order.begin(), order.end());
    for (const auto& [cost, c] : order)
        if (cost < 0) dissolve(c);
    for (std::int32_t item = 0; item < static_cast<std::int32_t>(classes_.n_items()); ++item)
        move_out(item);
}

bool ClassSearch::dissolve(std::int32_t c) {
    classes_.begin();
    taken_.clear();
    classes_.take_all(c, taken_);
    if (!scatter(taken_)) {
        classes_.roll_back();
        return false;
    }
    return settle();
}

// Puts records that were taken into the classes that they make least dearer.
bool ClassSearch::scatter(std::vector<std::int32_t>& items) {
    for (const std::int32_t item : items) {
        const EditableClasses::Best best = classes_.best_class(item);
        if (best.to < 0) return false;
        classes_.put(item, best.to);
    }
    return true;
}

bool ClassSearch::move_out(std::int32_t item) {
    const std::int32_t from = classes_.class_of(item);
    if (classes_.size(from) <= k_ || classes_.unit_cost(from) == 0) return false;
    const std::int64_t size = classes_.size(from);
    const std::int64_t saved =
        size * classes_.unit_cost(from) - (size - 1) * classes_.cost_without(from, item);
    const EditableClasses::Best best = classes_.best_class(item);
    if (best.to < 0 || best.to == from || best.added >= saved) return false;
    classes_.begin();
    classes_.move(item, best.to);
    return settle();
}

// One of a few items at random: the one whose class costs most.
std::int32_t ClassSearch::costly_item() {
    std::int32_t best = -1;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto item = static_cast<std::int32_t>(random_.below(classes_.n_items()));
        if (best < 0 || classes_.unit_cost(classes_.class_of(item)) >
                            classes_.unit_cost(classes_.class_of(best)))
            best = item;
    }
    return best;
}

// The classes that would cost the item least, nearest first.
void ClassSearch::nearest_classes(std::int32_t item, std::size_t n) {
    const std::vector<std::int32_t>& costs = classes_.costs_with(item);
    ranked_.clear();
    for (std::int32_t c = 0; c < classes_.n_classes(); ++c)
        if (costs[c] != kDead) ranked_.emplace_back(costs[c], c);
    n = std::min(n, ranked_.size());
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(n),
                      ranked_.end());
    near_.clear();
    for (std::size_t at = 0; at < n; ++at) near_.push_back(ranked_[at].second);
}

// Opens a class around a record that loses much, with the records nearest to it that lose much
// themselves; classes that become too small on the way are dissolved.
bool ClassSearch::spawn() {
    const std::int32_t seed = costly_item();
    if (classes_.unit_cost(classes_.class_of(seed)) == 0) return false;
    nearest_classes(seed, 32);
    candidates_.clear();
    for (const std::int32_t c : near_)
        for (const std::int32_t item : classes_.members(c))
            if (item != seed) candidates_.push_back(item);
    if (static_cast<std::int64_t>(candidates_.size()) < k_ - 1) return false;
    classes_.begin();
    std::vector<std::int32_t> donors;
    const std::int32_t born = classes_.open_class();
    std::vector<std::int32_t> current;
    for (const std::int32_t item : candidates_)
        current.push_back(classes_.unit_cost(classes_.class_of(item)));
    const auto join = [&](std::int32_t item) {
        donors.push_back(classes_.class_of(item));
        classes_.take(item);
        classes_.put(item, born);
    };
    join(seed);
    const double lambda = 0.25 * random_.below(5);
    while (classes_.size(born) < k_) {
        std::size_t best = candidates_.size();
        double least = 0;
        for (std::size_t at = 0; at < candidates_.size(); ++at) {
            if (candidates_[at] < 0) continue;
            const std::int64_t after = classes_.cost_with(born, candidates_[at]);
            const double key =
                static_cast<double>(after + classes_.size(born) * (after - classes_.unit_cost(born))) -
                lambda * current[at];
            if (best == candidates_.size() || key < least) best = at, least = key;
        }
        join(candidates_[best]);
        candidates_[best] = -1;
    }
    std::sort(donors.begin(), donors.end());
    donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
    taken_.clear();
    for (const std::int32_t c : donors) {
        if (classes_.size(c) >= k_ || classes_.has_fixed(c))
            classes_.refresh(c);
        else
            classes_.take_all(c, taken_);
    }
    if (!scatter(taken_)) {
        classes_.roll_back();
        return false;
    }
    return settle();
}

// Pools a few neighbouring classes and forms classes of their records anew.
bool ClassSearch::ruin() {
    const std::int32_t seed = costly_item();
    if (classes_.unit_cost(classes_.class_of(seed)) == 0) return false;
    nearest_classes(seed, 2 + random_.below(5));
    classes_.begin();
    pool_.clear();
    for (const std::int32_t c : near_)
        if (!classes_.has_fixed(c)) classes_.take_all(c, pool_);
    const std::int32_t own = classes_.class_of(seed);
    if (own >= 0 && !classes_.has_fixed(own)) classes_.take_all(own, pool_);
    if (pool_.empty()) {
        classes_.roll_back();
        return false;
    }
    std::size_t start = random_.below(pool_.size());
    while (static_cast<std::int64_t>(pool_.size()) >= k_) {
        const std::int32_t born = classes_.open_class();
        const std::int32_t first = pool_[start];
        pool_[start] = pool_.back();
        pool_.pop_back();
        classes_.put(first, born);
        while (classes_.size(born) < k_) {
            std::size_t best = 0;
            std::int32_t least = kDead;
            for (std::size_t at = 0; at < pool_.size(); ++at) {
                const std::int32_t after = classes_.cost_with(born, pool_[at]);
                if (after < least) best = at, least = after;
            }
            classes_.put(pool_[best], born);
            pool_[best] = pool_.back();
            pool_.pop_back();
        }
        std::int32_t most = -1;
        for (std::size_t at = 0; at < pool_.size(); ++at) {
            const std::int32_t away = classes_.cost_with(born, pool_[at]);
            if (away > most) most = away, start = at;
        }
    }
    if (!scatter(pool_)) {
        classes_.roll_back();
        return false;
    }
    return settle();
}

void ClassSearch::explore(std::uint64_t work) {
    const std::uint64_t end = classes_.work() + work;
    while (classes_.work() < end) {
        classes_.spend(64);
        if (random_.below(2))
            spawn();
        else
            ruin();
    }
}

}  // namespace incrowd
