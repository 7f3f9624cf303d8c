#include "clustering/local_search_moves.hpp"

#include <algorithm>
#include <utility>

#include "clustering/local_search_steps.hpp"

namespace incrowd {
namespace {
constexpr size_t kNear = 12;        // classes that a ruin looks at
constexpr size_t kCandidates = 12;  // records that a spawn looks at, beside three times k
constexpr uint64_t kMostPooled = 5;
constexpr int64_t kHeat = 2;    // a step may lose half of what a class costs
constexpr int64_t kGreeds = 5;  // 0 to 4 quarters of what a record costs where it is
// Where classes are very large one step takes their size squared: more than so many times all the
// work there is, and it is not begun.
constexpr double kOverdrawn = 4.0;

class ClassSearch : SearchSteps {
  public:
    ClassSearch(EditableClasses& classes, int64_t k, uint64_t seed, const StepJudge& judge)
        : SearchSteps(classes, k, seed, judge) {}

    // Dissolves classes whose records are cheaper elsewhere, and moves records out of classes that
    // are larger than they need be.
    void dissolve_and_move() {
        std::vector<std::pair<int32_t, int32_t>> dearest;
        for (int32_t c = 0; c < classes_.n_classes(); ++c)
            if (classes_.alive(c) && !classes_.has_fixed(c) && classes_.unit_cost(c) > 0)
                dearest.emplace_back(-classes_.unit_cost(c), c);
        std::ranges::sort(dearest);
        for (const auto& each : dearest) dissolve(each.second);
        for (int32_t item = 0; item < static_cast<int32_t>(classes_.n_items()); ++item)
            move_out(item);
    }

    void spawn_and_ruin(uint64_t work, const std::function<void()>& tick) {
        most_ = kOverdrawn * static_cast<double>(work);
        explore(work, kHeat, tick, [&] {
            if (random_.below(2)) spawn();
            else ruin();
        });
    }

  private:
    bool dissolve(int32_t c) {
        classes_.begin();
        taken_.clear();
        classes_.take_all(c, taken_);
        return scatter() ? settle() : abandon();
    }

    // Puts the records that were taken into the classes that they make least dearer.
    bool scatter() {
        for (const int32_t item : taken_) {
            const EditableClasses::Best best = classes_.best_class(item);
            if (best.to < 0) return false;
            classes_.put(item, best.to);
        }
        return true;
    }

    // What the item's class would cost less without it.
    int64_t saved_without(int32_t item) {
        const int32_t from = classes_.class_of(item);
        return classes_.total(from) - (classes_.size(from) - 1) * classes_.cost_without(from, item);
    }

    // What a class would cost more with the item.
    int64_t added_by(int32_t c, int32_t item) const {
        const int64_t after = classes_.cost_with(c, item);
        return after + classes_.size(c) * (after - classes_.unit_cost(c));
    }

    bool move_out(int32_t item) {
        const int32_t from = classes_.class_of(item);
        if (classes_.size(from) <= k_ || classes_.unit_cost(from) == 0) return false;
        const EditableClasses::Best best = classes_.best_class(item);
        if (best.to < 0 || best.to == from || best.added >= saved_without(item)) return false;
        classes_.begin();
        classes_.move(item, best.to);
        return settle();
    }

    // Opens a class around a record that loses much, and fills it with records that are near to it
    // or lose much themselves; classes that become too small on the way are dissolved.
    bool spawn() {
        const int32_t seed = costly_item();
        if (classes_.unit_cost(classes_.class_of(seed)) == 0 || !is_affordable(k_, 3 * k_))
            return false;
        const auto greed = static_cast<int64_t>(random_.below(kGreeds));
        rank_candidates(seed, greed);
        if (static_cast<int64_t>(candidates_.size()) < k_ - 1) return false;
        classes_.begin();
        donors_.clear();
        const int32_t born = classes_.open_class();
        join(born, seed);
        gather(born, greed);
        if (!dissolve_donors()) return abandon();
        pull(born);
        return settle();
    }

    // Whether a step may look at so many records so many times.
    bool is_affordable(int64_t records, int64_t times) const {
        return static_cast<double>(records) * static_cast<double>(times) *
                   static_cast<double>(classes_.n_columns()) <=
               most_;
    }

    void rank_candidates(int32_t seed, int64_t greed) {
        const std::vector<int32_t>& costs = classes_.pair_costs(seed);
        ranked_.clear();
        for (int32_t item = 0; item < static_cast<int32_t>(classes_.n_items()); ++item)
            if (item != seed)
                ranked_.emplace_back(4 * static_cast<int64_t>(costs[item]) -
                                         greed * classes_.unit_cost(classes_.class_of(item)),
                                     item);
        const size_t n = std::min(kCandidates + 3 * static_cast<size_t>(k_), ranked_.size());
        const auto end = ranked_.begin() + n;
        std::nth_element(ranked_.begin(), end, ranked_.end());
        std::sort(ranked_.begin(), end);
        candidates_.clear();
        current_.clear();
        for (auto each = ranked_.begin(); each != end; ++each) {
            candidates_.push_back(each->second);
            current_.push_back(classes_.unit_cost(classes_.class_of(each->second)));
        }
    }

    void join(int32_t born, int32_t item) {
        donors_.push_back(classes_.class_of(item));
        classes_.take(item);
        classes_.put(item, born);
    }

    // Fills a class up to k with the candidates that it gets dearer by least.
    void gather(int32_t born, int64_t greed) {
        while (classes_.size(born) < k_) {
            size_t best = candidates_.size();
            int64_t least = std::numeric_limits<int64_t>::max();
            for (size_t at = 0; at < candidates_.size(); ++at) {
                if (candidates_[at] < 0) continue;
                const int64_t key = 4 * added_by(born, candidates_[at]) - greed * current_[at];
                if (key < least) best = at, least = key;
            }
            join(born, candidates_[best]);
            candidates_[best] = -1;
        }
    }

    // Looks again at classes that records have left, and scatters those that became too small.
    bool dissolve_donors() {
        std::ranges::sort(donors_);
        donors_.erase(std::unique(donors_.begin(), donors_.end()), donors_.end());
        taken_.clear();
        for (const int32_t c : donors_) {
            if (classes_.size(c) >= k_) classes_.refresh(c);
            else classes_.take_all(c, taken_);
        }
        return scatter();
    }

    // Takes further candidates that are cheaper here, from classes that can spare them.
    void pull(int32_t born) {
        for (const int32_t item : candidates_) {
            if (item < 0) continue;
            const int32_t from = classes_.class_of(item);
            if (from == born || classes_.size(from) <= k_) continue;
            const int64_t added = added_by(born, item);
            if (added < classes_.total(from) && added < saved_without(item))
                classes_.move(item, born);
        }
    }

    // The classes that would cost the item least, nearest first.
    void find_near(int32_t item) {
        const std::vector<int32_t>& costs = classes_.costs_with(item);
        ranked_.clear();
        for (int32_t c = 0; c < classes_.n_classes(); ++c)
            if (classes_.alive(c)) ranked_.emplace_back(costs[c], c);
        const auto end = ranked_.begin() + std::min(kNear, ranked_.size());
        std::partial_sort(ranked_.begin(), end, ranked_.end());
        near_.clear();
        for (auto each = ranked_.begin(); each != end; ++each) near_.push_back(each->second);
    }

    // Pools a few neighbouring classes, and forms classes of their records anew.
    bool ruin() {
        const int32_t seed = costly_item();
        const int32_t own = classes_.class_of(seed);
        if (classes_.unit_cost(own) == 0 || classes_.has_fixed(own)) return false;
        find_near(seed);
        const size_t some = std::min<size_t>(1 + random_.below(kMostPooled), near_.size());
        ruined_ = {own};
        for (size_t at = 0; at < some; ++at)
            if (near_[at] != own && !classes_.has_fixed(near_[at])) ruined_.push_back(near_[at]);
        int64_t records = 0;
        for (const int32_t c : ruined_) records += classes_.size(c);
        if (!is_affordable(records, records / 2)) return false;
        classes_.begin();
        pool_.clear();
        for (const int32_t c : ruined_) classes_.take_all(c, pool_);
        pooled_ = pool_;
        form_classes();
        for (const int32_t item : pool_) classes_.put(item, classes_.best_among(item, near_).to);
        polish(pooled_);
        return settle();
    }

    // Forms classes of k pooled records: each starts with the record farthest from the one before.
    void form_classes() {
        size_t start = random_.below(pool_.size());
        const auto place = [&](size_t at, int32_t c) {
            classes_.put(pool_[at], c);
            pool_[at] = pool_.back();
            pool_.pop_back();
        };
        while (static_cast<int64_t>(pool_.size()) >= k_) {
            const int32_t born = classes_.open_class();
            near_.push_back(born);
            place(start, born);
            while (classes_.size(born) < k_) {
                size_t nearest = 0;
                int32_t least = kDead;
                for (size_t at = 0; at < pool_.size(); ++at) {
                    const int32_t after = classes_.cost_with(born, pool_[at]);
                    if (after < least) nearest = at, least = after;
                }
                place(nearest, born);
            }
            int32_t most = -1;
            for (size_t at = 0; at < pool_.size(); ++at) {
                const int32_t away = classes_.cost_with(born, pool_[at]);
                if (away > most) start = at, most = away;
            }
        }
    }

    // Moves records out of classes that are larger than they need be, to classes nearby.
    void polish(const std::vector<int32_t>& items) {
        for (const int32_t item : items) {
            const int32_t from = classes_.class_of(item);
            if (classes_.size(from) <= k_ || classes_.unit_cost(from) == 0) continue;
            const EditableClasses::Best best = classes_.best_among(item, near_);
            if (best.to != from && best.added < saved_without(item)) classes_.move(item, best.to);
        }
    }

    double most_ = 0.0;  // cells that a step may look at
    // Of the step at hand: classes near the seed, and those taken apart; records pooled, taken, and
    // to be taken.
    std::vector<int32_t> near_, ruined_, pool_, pooled_, taken_, candidates_, current_, donors_;
    std::vector<std::pair<int64_t, int32_t>> ranked_;
};
}  // namespace

void improve_classes(EditableClasses& classes, int64_t k, uint64_t work, uint64_t seed,
                     const StepJudge& judge, const std::function<void()>& tick) {
    ClassSearch search(classes, k, seed, judge);
    search.dissolve_and_move();
    search.spawn_and_ruin(work, tick);
    search.dissolve_and_move();
}
}  // namespace incrowd
