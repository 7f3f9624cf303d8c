#include "clustering/local_search.hpp"

#include <algorithm>

#include "clustering/local_search_moves.hpp"

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

// Improves the classes of a bucket among themselves.
void improve(const FixedTable& table, ClassBucket& bucket, uint64_t work, const Verdict& verdict,
             Meter& meter) {
    OpenBucket open(table, bucket);
    EditableClasses& classes = open.classes();
    StepJudge judge;
    if (verdict)
        judge = [&](const std::vector<int32_t>& touched) {
            std::vector<Region> changed;
            for (const int32_t c : touched)
                if (classes.alive(c)) changed.push_back(open.region(c));
            const std::vector<bool> allowed = verdict(changed);
            return std::ranges::find(allowed, false) == allowed.end();
        };
    const int64_t before = classes.total();
    improve_classes(classes, table.k, work * classes.n_items(), bucket.seed, judge,
                    [&] { meter.advance(0); });
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

void local_search(const FixedTable& table, std::vector<ClassBucket>& buckets, uint64_t work,
                  const Verdict& verdict, size_t threads, Meter& meter) {
    run_pieces(buckets.size(), threads, meter, [&](size_t at) {
        if (buckets[at].records() <= static_cast<int64_t>(kFewRecords))
            solve(table, buckets[at], verdict);
        else if (buckets[at].classes.size() > 1 || verdict)
            improve(table, buckets[at], work, verdict, meter);
        meter.advance(1);
    });
}
}  // namespace incrowd
