#include "clustering/class_search.hpp"

#include <algorithm>

namespace incrowd {

namespace {

constexpr std::size_t kNear = 12;        // classes that a ruin looks at
constexpr std::size_t kCandidates = 12;  // records that a spawn looks at, beside three times k
constexpr std::uint64_t kMostPooled = 5;
constexpr int kTastings = 3;
constexpr std::int64_t kGreeds = 5;  // 0 to 4 quarters of what a record costs where it is

}  // namespace

ClassSearch::ClassSearch(EditableClasses& classes, std::int64_t k, std::uint64_t seed, Judge judge)
    : classes_(classes), k_(k), random_(seed), judge_(std::move(judge)) {}

// Keeps the step if it gained enough and nobody objects.
bool ClassSearch::settle() {
    const std::int64_t least =
        tolerance_ > 0
            ? -static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(tolerance_)))
            : 1;
    if (classes_.gained() < least || (judge_ && !judge_(classes_.touched()))) return abandon();
    classes_.commit();
    return true;
}

bool ClassSearch::abandon() {
    classes_.roll_back();
    return false;
}

void ClassSearch::dissolve_and_move() {
    std::vector<std::pair<std::int32_t, std::int32_t>> dearest;
    for (std::int32_t c = 0; c < classes_.n_classes(); ++c)
        if (classes_.alive(c) && !classes_.has_fixed(c) && classes_.unit_cost(c) > 0)
            dearest.emplace_back(-classes_.unit_cost(c), c);
    std::sort(dearest.begin(), dearest.end());
    for (const auto& each : dearest) dissolve(each.second);
    for (std::int32_t item = 0; item < static_cast<std::int32_t>(classes_.n_items()); ++item)
        move_out(item);
}

bool ClassSearch::dissolve(std::int32_t c) {
    classes_.begin();
    taken_.clear();
    classes_.take_all(c, taken_);
    return scatter() ? settle() : abandon();
}

// Puts the records that were taken into the classes that they make least dearer.
bool ClassSearch::scatter() {
    for (const std::int32_t item : taken_) {
        const EditableClasses::Best best = classes_.best_class(item);
        if (best.to < 0) return false;
        classes_.put(item, best.to);
    }
    return true;
}

// What the item's class would cost less without it.
std::int64_t ClassSearch::saved_without(std::int32_t item) {
    const std::int32_t from = classes_.class_of(item);
    return classes_.total(from) - (classes_.size(from) - 1) * classes_.cost_without(from, item);
}

// What a class would cost more with the item.
std::int64_t ClassSearch::added_by(std::int32_t c, std::int32_t item) const {
    const std::int64_t after = classes_.cost_with(c, item);
    return after + classes_.size(c) * (after - classes_.unit_cost(c));
}

bool ClassSearch::move_out(std::int32_t item) {
    const std::int32_t from = classes_.class_of(item);
    if (classes_.size(from) <= k_ || classes_.unit_cost(from) == 0) return false;
    const EditableClasses::Best best = classes_.best_class(item);
    if (best.to < 0 || best.to == from || best.added >= saved_without(item)) return false;
    classes_.begin();
    classes_.move(item, best.to);
    return settle();
}

// Of a few records at random, the one whose class costs most.
std::int32_t ClassSearch::costly_item() {
    std::int32_t found = -1;
    for (int tasting = 0; tasting < kTastings; ++tasting) {
        const auto item = static_cast<std::int32_t>(random_.below(classes_.n_items()));
        if (found < 0 || classes_.unit_cost(classes_.class_of(item)) >
                             classes_.unit_cost(classes_.class_of(found)))
            found = item;
    }
    return found;
}

// Opens a class around a record that loses much, and fills it with records that are near to it or
// lose much themselves; classes that become too small on the way are dissolved.
bool ClassSearch::spawn() {
    const std::int32_t seed = costly_item();
    if (classes_.unit_cost(classes_.class_of(seed)) == 0) return false;
    const auto greed = static_cast<std::int64_t>(random_.below(kGreeds));
    rank_candidates(seed, greed);
    if (static_cast<std::int64_t>(candidates_.size()) < k_ - 1) return false;
    classes_.begin();
    donors_.clear();
    const std::int32_t born = classes_.open_class();
    join(born, seed);
    gather(born, greed);
    if (!dissolve_donors()) return abandon();
    pull(born);
    return settle();
}

void ClassSearch::rank_candidates(std::int32_t seed, std::int64_t greed) {
    const std::vector<std::int32_t>& costs = classes_.pair_costs(seed);
    ranked_.clear();
    for (std::int32_t item = 0; item < static_cast<std::int32_t>(classes_.n_items()); ++item)
        if (item != seed)
            ranked_.emplace_back(4 * static_cast<std::int64_t>(costs[item]) -
                                     greed * classes_.unit_cost(classes_.class_of(item)),
                                 item);
    const std::size_t n = std::min(kCandidates + 3 * static_cast<std::size_t>(k_), ranked_.size());
    const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(ranked_.begin(), end, ranked_.end());
    std::sort(ranked_.begin(), end);
    candidates_.clear();
    current_.clear();
    for (auto each = ranked_.begin(); each != end; ++each) {
        candidates_.push_back(each->second);
        current_.push_back(classes_.unit_cost(classes_.class_of(each->second)));
    }
}

void ClassSearch::join(std::int32_t born, std::int32_t item) {
    donors_.push_back(classes_.class_of(item));
    classes_.take(item);
    classes_.put(item, born);
}

// Fills a class up to k with the candidates that it gets dearer by least.
void ClassSearch::gather(std::int32_t born, std::int64_t greed) {
    while (classes_.size(born) < k_) {
        std::size_t best = candidates_.size();
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t at = 0; at < candidates_.size(); ++at) {
            if (candidates_[at] < 0) continue;
            const std::int64_t key = 4 * added_by(born, candidates_[at]) - greed * current_[at];
            if (key < least) best = at, least = key;
        }
        join(born, candidates_[best]);
        candidates_[best] = -1;
    }
}

// Looks again at classes that records have left, and scatters those that became too small.
bool ClassSearch::dissolve_donors() {
    std::sort(donors_.begin(), donors_.end());
    donors_.erase(std::unique(donors_.begin(), donors_.end()), donors_.end());
    taken_.clear();
    for (const std::int32_t c : donors_) {
        if (classes_.size(c) >= k_)
            classes_.refresh(c);
        else
            classes_.take_all(c, taken_);
    }
    return scatter();
}

// Takes further candidates that are cheaper here, from classes that can spare them.
void ClassSearch::pull(std::int32_t born) {
    for (const std::int32_t item : candidates_) {
        if (item < 0) continue;
        const std::int32_t from = classes_.class_of(item);
        if (from == born || classes_.size(from) <= k_) continue;
        const std::int64_t added = added_by(born, item);
        if (added < classes_.total(from) && added < saved_without(item)) classes_.move(item, born);
    }
}

// The classes that would cost the item least, nearest first.
void ClassSearch::find_near(std::int32_t item) {
    const std::vector<std::int32_t>& costs = classes_.costs_with(item);
    ranked_.clear();
    for (std::int32_t c = 0; c < classes_.n_classes(); ++c)
        if (classes_.alive(c)) ranked_.emplace_back(costs[c], c);
    const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(std::min(kNear, ranked_.size()));
    std::partial_sort(ranked_.begin(), end, ranked_.end());
    near_.clear();
    for (auto each = ranked_.begin(); each != end; ++each) near_.push_back(each->second);
}

// Pools a few neighbouring classes, and forms classes of their records anew.
bool ClassSearch::ruin() {
    const std::int32_t seed = costly_item();
    const std::int32_t own = classes_.class_of(seed);
    if (classes_.unit_cost(own) == 0 || classes_.has_fixed(own)) return false;
    find_near(seed);
    classes_.begin();
    pool_.clear();
    classes_.take_all(own, pool_);
    const std::size_t some = 1 + random_.below(kMostPooled);
    for (std::size_t at = 0; at < std::min(some, near_.size()); ++at)
        if (near_[at] != own && !classes_.has_fixed(near_[at])) classes_.take_all(near_[at], pool_);
    pooled_ = pool_;
    form_classes();
    for (const std::int32_t item : pool_) classes_.put(item, classes_.best_among(item, near_).to);
    polish(pooled_);
    return settle();
}

// Forms classes of k pooled records: each starts with the record farthest from the one before.
void ClassSearch::form_classes() {
    std::size_t start = random_.below(pool_.size());
    const auto place = [&](std::size_t at, std::int32_t c) {
        classes_.put(pool_[at], c);
        pool_[at] = pool_.back();
        pool_.pop_back();
    };
    while (static_cast<std::int64_t>(pool_.size()) >= k_) {
        const std::int32_t born = classes_.open_class();
        near_.push_back(born);
        place(start, born);
        while (classes_.size(born) < k_) {
            std::size_t nearest = 0;
            std::int32_t least = kDead;
            for (std::size_t at = 0; at < pool_.size(); ++at) {
                const std::int32_t after = classes_.cost_with(born, pool_[at]);
                if (after < least) nearest = at, least = after;
            }
            place(nearest, born);
        }
        std::int32_t most = -1;
        for (std::size_t at = 0; at < pool_.size(); ++at) {
            const std::int32_t away = classes_.cost_with(born, pool_[at]);
            if (away > most) start = at, most = away;
        }
    }
}

// Moves records out of classes that are larger than they need be, to classes nearby.
void ClassSearch::polish(const std::vector<std::int32_t>& items) {
    for (const std::int32_t item : items) {
        const std::int32_t from = classes_.class_of(item);
        if (classes_.size(from) <= k_ || classes_.unit_cost(from) == 0) continue;
        const EditableClasses::Best best = classes_.best_among(item, near_);
        if (best.to != from && best.added < saved_without(item)) classes_.move(item, best.to);
    }
}

void ClassSearch::explore(std::uint64_t work, const std::function<void()>& tick) {
    const std::uint64_t begin = classes_.work();
    std::int64_t alive = 0;
    for (std::int32_t c = 0; c < classes_.n_classes(); ++c) alive += classes_.alive(c);
    if (alive == 0) return;
    const std::int64_t hottest = classes_.total() / alive / 2;  // half of what a class costs
    for (std::uint64_t done = 0; done < work; done = classes_.work() - begin) {
        tick();
        tolerance_ = static_cast<std::int64_t>(
            static_cast<double>(hottest) *
            (static_cast<double>(work - done) / static_cast<double>(work)));
        classes_.spend(64);  // so that a step that finds nothing to do comes to an end too
        if (random_.below(2))
            spawn();
        else
            ruin();
    }
    tolerance_ = 0;
}

}  // namespace incrowd
