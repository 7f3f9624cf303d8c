#include "clustering/carve.hpp"

#include <bit>
#include <numeric>

#include "clustering/local_search_steps.hpp"
#include "clustering/node_members.hpp"

namespace incrowd {
namespace {
constexpr int64_t kCarvingHeat = 32;  // a step may lose this part of what a class costs
constexpr uint64_t kMostLowered = 2;  // columns that a first shape is narrower in
constexpr int kMostShapes = 60;       // that are looked at for one class
// Records that look for a new class one by one find it 10% cheaper together.
constexpr int64_t kScattered = 9, kAlone = 10;
// What it costs a record to have nowhere to go: more than any class does.
constexpr int64_t kNowhere = int64_t{1} << 40;

class Carver : SearchSteps {
  public:
    Carver(const std::vector<LatticeColumn>& levels, EditableClasses& classes, int64_t k,
           uint64_t seed, const StepJudge& judge)
        : SearchSteps(classes, k, seed, judge), levels_(levels), members_(levels, classes),
          elsewhere_(classes.n_items(), 0), directions_(2 * levels.size()) {
        std::iota(directions_.begin(), directions_.end(), size_t{0});
    }

    void run(uint64_t work, const std::function<void()>& tick) {
        explore(work, kCarvingHeat, tick, [&] { carve(); });
    }

  private:
    // Of a class: how many records it gives, and whether the others leave it too.
    struct Gift {
        int32_t from;
        int64_t records;
        bool dissolves;
    };
    // Records that cost more in the new class than where they are.
    struct Spare {
        int64_t loss;
        int32_t from;
        int64_t records;
        auto operator<=>(const Spare&) const = default;
    };

    bool carve() {
        const int32_t seed = costly_item(), own = classes_.class_of(seed);
        if (classes_.unit_cost(own) == 0) return false;
        row_ = classes_.codes(seed);
        shape_ = narrower(own);
        const int64_t promised = climb();
        return promised > -2 * std::max<int64_t>(tolerance_, 1) && lacking_ == 0 && open();
    }

    // The shape of a class, lowered in a column or two.
    Levels narrower(int32_t own) {
        Levels shape(levels_.size(), 0);
        for (size_t j = 0; j < shape.size(); ++j)
            while (shape[j] < levels_[j].height() &&
                   levels_[j].excess[shape[j]][row_[j]] < classes_.unit_cost(own, j))
                ++shape[j];
        for (uint64_t some = 1 + random_.below(kMostLowered); some > 0; --some) {
            const size_t j = random_.below(shape.size());
            if (shape[j] > 0) shape[j] = static_cast<uint8_t>(random_.below(shape[j]));
        }
        return shape;
    }

    // Raises and lowers columns in random order, as long as that gains; returns the gain.
    int64_t climb() {
        int64_t best = plan(), lacking = lacking_;
        size_t at = 0, failures = 0;
        for (int looked = 1; looked < kMostShapes && failures < directions_.size();) {
            if (at == 0) shuffle();
            const size_t j = directions_[at] / 2;
            const bool up = directions_[at] % 2;
            at = (at + 1) % directions_.size();
            ++failures;
            if (shape_[j] == (up ? levels_[j].height() : 0)) continue;
            ++looked;
            shape_[j] += up ? 1 : -1;
            const int64_t gain = plan();
            if (std::pair(-lacking_, gain) > std::pair(-lacking, best))
                best = gain, lacking = lacking_, failures = 0;
            else shape_[j] -= up ? 1 : -1;
        }
        lacking_ = lacking;
        return best;
    }

    void shuffle() {
        for (size_t at = directions_.size(); at-- > 1;)
            std::swap(directions_[at], directions_[random_.below(at + 1)]);
    }

    // Plans a class of the shape at hand, and returns what it is thought to gain.
    int64_t plan() {
        count_inside();
        int64_t cost = 0, gain = 0, records = 0;
        for (size_t j = 0; j < shape_.size(); ++j) cost += levels_[j].excess[shape_[j]][row_[j]];
        gifts_.clear();
        spares_.clear();
        for (const int32_t c : met_) {
            const int64_t saved = classes_.unit_cost(c) - cost;
            if (saved > 0) gain += give(c, saved, records);
            else if (classes_.size(c) > k_)
                spares_.push_back({-saved, c, std::min(inside_of_[c], classes_.size(c) - k_)});
            inside_of_[c] = elsewhere_inside_[c] = 0;
        }
        if (records < k_) gain -= fill_up(records);
        lacking_ = std::max<int64_t>(k_ - records, 0);
        return gain;
    }

    // Counts what the shape covers by class, and adds up what that would cost elsewhere.
    void count_inside() {
        members_.select(shape_, row_, inside_);
        make_room();
        met_.clear();
        uint64_t seen = 0;
        for (size_t word = 0; word < inside_.size(); ++word)
            for (uint64_t bits = inside_[word]; bits != 0; bits &= bits - 1, ++seen) {
                const size_t item = 64 * word + static_cast<size_t>(std::countr_zero(bits));
                const int32_t c = classes_.class_of(static_cast<int32_t>(item));
                if (inside_of_[c]++ == 0) met_.push_back(c);
                elsewhere_inside_[c] += elsewhere_[item];
            }
        classes_.spend(2 * seen);
    }

    // What a class gives, each record of it to save so much; returns what that gains.
    int64_t give(int32_t c, int64_t saved, int64_t& records) {
        const int64_t inside = inside_of_[c], rest = classes_.size(c) - inside;
        Gift gift{c, inside, false};
        int64_t gain = inside * saved;
        if (rest > 0 && rest < k_) {
            const int64_t spare = classes_.size(c) - k_;
            const int64_t dissolved = classes_.has_fixed(c) ? 0 : gain - scattering(c, rest);
            gift = dissolved > spare * saved ? Gift{c, inside, true} : Gift{c, spare, false};
            gain = std::max(dissolved, spare * saved);
        }
        records += gift.records;
        gifts_.push_back(gift);
        return gain;
    }

    // What the records of a class outside the shape would lose elsewhere.
    int64_t scattering(int32_t c, int64_t rest) {
        if (!is_known_[c]) learn(c);
        const int64_t elsewhere = sum_elsewhere_[c] - elsewhere_inside_[c];
        return elsewhere * kScattered / kAlone - rest * classes_.unit_cost(c);
    }

    // For each record of a class: what the class that it makes least dearer would cost more.
    void learn(int32_t c) {
        sum_elsewhere_[c] = elsewhere_inside_[c] = 0;
        for (const int32_t item : classes_.members(c)) {
            elsewhere_[item] = std::min(classes_.best_other(item).added, kNowhere);
            sum_elsewhere_[c] += elsewhere_[item];
            if (has_item(inside_, item)) elsewhere_inside_[c] += elsewhere_[item];
        }
        is_known_[c] = 1;
    }

    // Takes what lacks to k from classes that can spare it, and returns what that loses.
    int64_t fill_up(int64_t& records) {
        std::ranges::sort(spares_);
        int64_t lost = 0;
        for (const Spare& each : spares_) {
            const int64_t taken = std::min(each.records, k_ - records);
            if (taken == 0) break;
            lost += taken * each.loss;
            records += taken;
            gifts_.push_back({each.from, taken, false});
        }
        return lost;
    }

    // Carries out the plan of the shape at hand.
    bool open() {
        plan();
        classes_.begin();
        const int32_t born = classes_.open_class();
        left_over_.clear();
        for (const Gift& gift : gifts_) hand_over_to(born, gift);
        for (const int32_t item : left_over_) classes_.put(item, classes_.best_class(item).to);
        if (!settle()) return false;
        make_room();
        for (const int32_t c : classes_.touched()) is_known_[c] = 0;
        return true;
    }

    void hand_over_to(int32_t born, const Gift& gift) {
        if (gift.records == 0) return;
        given_.clear();
        for (const int32_t item : classes_.members(gift.from))
            if (has_item(inside_, item)) given_.push_back(item);
        given_.resize(static_cast<size_t>(gift.records));
        for (const int32_t item : given_) {
            classes_.take(item);
            classes_.put(item, born);
        }
        if (gift.dissolves) classes_.take_all(gift.from, left_over_);
        else classes_.refresh(gift.from);
    }

    void make_room() {
        const auto n = static_cast<size_t>(classes_.n_classes());
        if (is_known_.size() >= n) return;
        is_known_.resize(n, 0);
        inside_of_.resize(n, 0);
        elsewhere_inside_.resize(n, 0);
        sum_elsewhere_.resize(n, 0);
    }

    const std::vector<LatticeColumn>& levels_;
    NodeMembers members_;
    // By item: what it would cost in another class; by class: whether that is known, and its sum.
    std::vector<int64_t> elsewhere_, sum_elsewhere_;
    std::vector<uint8_t> is_known_;
    std::vector<size_t> directions_;  // column by column: down, up
    // Of the shape at hand: around which record, the items inside, their classes; by class: how
    // many of its items and what they would cost elsewhere, zeros between shapes.
    const int32_t* row_ = nullptr;
    Levels shape_;
    ItemBits inside_;
    int64_t lacking_ = 0;  // records to k
    std::vector<int32_t> met_;
    std::vector<int64_t> inside_of_, elsewhere_inside_;
    std::vector<Gift> gifts_;
    std::vector<Spare> spares_;
    std::vector<int32_t> given_, left_over_;
};
}  // namespace

void carve(const FixedTable& table, const std::vector<LatticeColumn>& levels,
           std::vector<ClassBucket>& buckets, uint64_t work, const ClassRules& rules,
           size_t threads, Meter& meter) {
    improve_buckets(
        table, buckets, rules, threads, meter,
        [&](EditableClasses& classes, uint64_t seed, const StepJudge& judge,
            const std::function<void()>& tick) {
            Carver(levels, classes, table.k, seed, judge).run(work * classes.n_items(), tick);
        });
}
}  // namespace incrowd
