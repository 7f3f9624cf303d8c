#include "clustering/local_search.hpp"

#include <algorithm>
#include <memory>

#include "requirements/class_state.hpp"

namespace incrowd {
namespace {
// The classes of a bucket while they are changed, and the tuple of each record that can move.
class OpenBucket {
  public:
    OpenBucket(const FixedTable& table, const ClassBucket& bucket)
        : k_(table.k), classes_(table.columns, codes_of(table, bucket)) {
        int32_t item = 0;
        for (const Region& region : bucket.classes) {
            const int32_t c = classes_.add_class();
            for (const Share& share : region) {
                const int64_t items = movable(share);
                for (int64_t each = 0; each < items; ++each) classes_.add(item++, c);
                if (share.records > items) classes_.fix(item - 1, share.records - items);
            }
        }
    }

    EditableClasses& classes() { return classes_; }
    int32_t tuple(int32_t item) const { return tuple_of_[item]; }

    // The records of a class by tuple, in the order of the tuples.
    Region region(int32_t c) const {
        Region found;
        for (const int32_t item : classes_.members(c)) found.push_back({tuple_of_[item], 1});
        for (const EditableClasses::Fixed& each : classes_.fixed(c))
            found.push_back({tuple_of_[each.item], each.records});
        std::ranges::sort(found, [](const Share& a, const Share& b) { return a.tuple < b.tuple; });
        Region merged;
        for (const Share& share : found) {
            if (!merged.empty() && merged.back().tuple == share.tuple)
                merged.back().records += share.records;
            else merged.push_back(share);
        }
        return merged;
    }

  private:
    // Of very many equal records, most can stay where they are: k of them still make a class.
    int64_t movable(const Share& share) const {
        return share.records >= 2 * k_ ? k_ : share.records;
    }

    std::vector<int32_t> codes_of(const FixedTable& table, const ClassBucket& bucket) {
        std::vector<int32_t> codes;
        for (const Region& region : bucket.classes)
            for (const Share& share : region)
                for (int64_t each = movable(share); each > 0; --each) {
                    tuple_of_.push_back(share.tuple);
                    codes.insert(codes.end(), table.row(share.tuple),
                                 table.row(share.tuple) + table.columns.size());
                }
        return codes;
    }

    int64_t k_;
    std::vector<int32_t> tuple_of_;
    EditableClasses classes_;
};

// What the classes of a bucket hold of the requirements.  Steps that are given up leave no trace: a
// step is carried out here only once it would stay, and undone if a class that it changed breaks
// something.  Cost: O(moves of the step + cells of the classes that it changed).
class BucketStates {
  public:
    BucketStates(const Requirements& requirements, const ClassBucket& bucket, OpenBucket& open)
        : requirements_(requirements), open_(open) {
        for (const Region& region : bucket.classes) states_.emplace_back(requirements, region);
    }

    bool allow() {
        const EditableClasses& classes = open_.classes();
        states_.resize(static_cast<size_t>(classes.n_classes()));
        carry_out(1);
        const bool all = std::ranges::all_of(classes.touched(), [&](int32_t c) {
            return !classes.alive(c) || states_[c].holds(requirements_, room_);
        });
        if (!all) carry_out(-1);
        return all;
    }

  private:
    // With -1 backwards.
    void carry_out(int64_t sign) {
        const std::vector<EditableClasses::Move>& moves = open_.classes().moves();
        for (size_t at = 0; at < moves.size(); ++at) {
            const EditableClasses::Move& move = moves[sign > 0 ? at : moves.size() - 1 - at];
            const int32_t kind = requirements_.kind()[open_.tuple(move.item)];
            if (move.from >= 0) states_[move.from].add(requirements_, kind, -sign);
            if (move.to >= 0) states_[move.to].add(requirements_, kind, sign);
        }
    }

    const Requirements& requirements_;
    OpenBucket& open_;
    std::vector<ClassState> states_;
    std::vector<Cell> room_;
};

// Asks about the classes that a step changed, all at once.
StepJudge asking(const Verdict& verdict, OpenBucket& open) {
    return [&](const std::vector<int32_t>& touched) {
        std::vector<Region> changed;
        for (const int32_t c : touched)
            if (open.classes().alive(c)) changed.push_back(open.region(c));
        const std::vector<bool> allowed = verdict(changed);
        return std::ranges::find(allowed, false) == allowed.end();
    };
}

// Improves the classes of a bucket among themselves.
void improve(const FixedTable& table, ClassBucket& bucket, const ClassRules& rules, Meter& meter,
             const BucketSearch& search) {
    OpenBucket open(table, bucket);
    EditableClasses& classes = open.classes();
    StepJudge judge;
    if (rules.verdict) {
        judge = asking(rules.verdict, open);
    } else if (rules.requirements != nullptr) {
        auto states = std::make_shared<BucketStates>(*rules.requirements, bucket, open);
        judge = [states](const std::vector<int32_t>&) { return states->allow(); };
    }
    const int64_t before = classes.total();
    search(classes, bucket.seed, judge, [&] { meter.advance(0); });
    if (classes.total() >= before) return;
    bucket.classes.clear();
    for (int32_t c = 0; c < classes.n_classes(); ++c)
        if (classes.alive(c)) bucket.classes.push_back(open.region(c));
}

// A few records are dealt as well as can be.
void solve(const FixedTable& table, ClassBucket& bucket, const Verdict& verdict) {
    const int64_t before = OpenBucket(table, bucket).classes().total();
    Cheapest best = cheapest_classes(table.columns, table.codes, bucket.tuples(), table.k, verdict);
    if (best.cost < before) bucket.classes = std::move(best.classes);
}
}  // namespace

Verdict verdict_of(const ClassRules& rules) {
    if (rules.verdict || rules.requirements == nullptr) return rules.verdict;
    return [&requirements = *rules.requirements](const std::vector<Region>& classes) {
        std::vector<bool> allowed;
        std::vector<Cell> room;
        for (const Region& each : classes)
            allowed.push_back(ClassState(requirements, each).holds(requirements, room));
        return allowed;
    };
}

void improve_buckets(const FixedTable& table, std::vector<ClassBucket>& buckets,
                     const ClassRules& rules, size_t threads, Meter& meter,
                     const BucketSearch& search) {
    const Verdict verdict = verdict_of(rules);
    run_pieces(buckets.size(), threads, meter, [&](size_t at) {
        if (buckets[at].records() <= static_cast<int64_t>(kFewRecords))
            solve(table, buckets[at], verdict);
        else if (buckets[at].classes.size() > 1 || rules.any())
            improve(table, buckets[at], rules, meter, search);
        meter.advance(1);
    });
}

void local_search(const FixedTable& table, std::vector<ClassBucket>& buckets, uint64_t work,
                  const ClassRules& rules, size_t threads, Meter& meter) {
    improve_buckets(table, buckets, rules, threads, meter,
                    [&](EditableClasses& classes, uint64_t seed, const StepJudge& judge,
                        const std::function<void()>& tick) {
                        improve_classes(classes, table.k, work * classes.n_items(), seed, judge,
                                        tick);
                    });
}
}  // namespace incrowd
