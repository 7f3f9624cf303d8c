#include "clustering/merging.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "core/ties.hpp"
#include "requirements/class_state.hpp"

namespace incrowd {
namespace {
constexpr int32_t kNobody = -1;

// Classes with what they cost, that can be merged.
class MergingClasses {
  public:
    explicit MergingClasses(const BucketedClasses& given)
        : d_(given.columns.size()), bucket_(given.bucket_of), root_(bucket_.size()),
          records_(bucket_.size(), 0), cost_(bucket_.size() * d_) {
        std::iota(root_.begin(), root_.end(), 0);
        all_ = root_;
        const int32_t buckets = 1 + *std::ranges::max_element(bucket_);
        inside_.resize(static_cast<size_t>(buckets));
        for (const int32_t c : all_) {
            inside_[bucket_[c]].push_back(c);
            ClassShape& shape = shapes_.emplace_back(given.columns);
            for (const Share& share : given.classes[static_cast<size_t>(c)]) {
                shape.join_all(given.row(share.tuple));
                records_[c] += share.records;
            }
            price(c);
        }
        tie_ = kTie * static_cast<double>(std::reduce(records_.begin(), records_.end()));
    }

    int32_t size() const { return static_cast<int32_t>(root_.size()); }
    int64_t records(int32_t c) const { return records_[c]; }

    // The class to be merged with: of its bucket, or of all if it is alone there.  Those that are
    // `taken` are left out.
    int32_t nearest(int32_t c, std::span<const uint8_t> taken) const {
        const std::vector<int32_t>& own = inside_[bucket_[c]];
        int32_t found = kNobody;
        double least = std::numeric_limits<double>::infinity();
        for (const int32_t other : own.size() > 1 ? own : all_) {
            if (other == c || (!taken.empty() && taken[other])) continue;
            const double added = loss_added(c, other, least - tie_);
            if (added < least - tie_) found = other, least = added;
        }
        return found;
    }

    // Returns the number of the merged class.
    int32_t merge(int32_t c, int32_t other) {
        const int32_t kept = std::min(c, other), gone = std::max(c, other);
        const int32_t bucket = bucket_[other];
        remove(inside_[bucket_[c]], c);
        remove(inside_[bucket], other);
        insert(inside_[bucket], kept);
        remove(all_, gone);
        bucket_[kept] = bucket;
        root_[gone] = kept;
        shapes_[kept].join(shapes_[gone]);
        records_[kept] += records_[gone];
        price(kept);
        return kept;
    }

    MergedClasses result() const {
        std::vector<int32_t> number(root_.size(), kNobody), bucket(inside_.size(), kNobody);
        MergedClasses found;
        int32_t buckets = 0;
        for (size_t c = 0; c < root_.size(); ++c) {
            const auto root = static_cast<size_t>(root_[c]);  // lower, and so numbered already
            if (root == c) {
                number[c] = static_cast<int32_t>(found.bucket_of.size());
                int32_t& own = bucket[bucket_[c]];
                if (own == kNobody) own = buckets++;
                found.bucket_of.push_back(own);
            } else {
                number[c] = number[root];
            }
            found.into.push_back(number[c]);
        }
        return found;
    }

  private:
    // What all records of both lose together more than apart, or anything above `enough`.  A class
    // costs no less in any column with more records, so no term is below 0 but for rounding.
    double loss_added(int32_t c, int32_t other, double enough) const {
        const auto n = static_cast<double>(records_[c]), m = static_cast<double>(records_[other]);
        const double* one = cost_.data() + static_cast<size_t>(c) * d_;
        const double* two = cost_.data() + static_cast<size_t>(other) * d_;
        double sum = 0.0;
        for (size_t j = 0; j < d_ && sum < enough; ++j) {
            const double after = (n + m) * shapes_[c].cost_with(j, shapes_[other]);
            sum += std::max(0.0, after - n * one[j] - m * two[j]);
        }
        return sum;
    }

    void price(int32_t c) {
        for (size_t j = 0; j < d_; ++j) cost_[static_cast<size_t>(c) * d_ + j] = shapes_[c].cost(j);
    }

    static void remove(std::vector<int32_t>& sorted, int32_t c) {
        sorted.erase(std::ranges::lower_bound(sorted, c));
    }
    static void insert(std::vector<int32_t>& sorted, int32_t c) {
        sorted.insert(std::ranges::lower_bound(sorted, c), c);
    }

    size_t d_;
    std::vector<int32_t> bucket_;               // by class
    std::vector<int32_t> root_;                 // by class: itself, or the one it was merged into
    std::vector<int32_t> all_;                  // classes that are left, ascending
    std::vector<std::vector<int32_t>> inside_;  // by bucket: the same
    std::vector<ClassShape> shapes_;
    std::vector<int64_t> records_;
    std::vector<double> cost_;  // (classes, columns), of one record
    double tie_;
};

// Violating classes, those with the fewest records first.
class Violating {
  public:
    void add(int64_t records, int32_t c) { waiting_.emplace(records, c); }
    void drop(int64_t records, int32_t c) { waiting_.erase({records, c}); }
    bool none() const { return waiting_.empty(); }
    int32_t next() {
        const int32_t c = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        return c;
    }

  private:
    std::set<std::pair<int64_t, int32_t>> waiting_;
};

MergedClasses as_they_are(const BucketedClasses& given) {
    std::vector<int32_t> same(given.classes.size());
    std::iota(same.begin(), same.end(), 0);
    return {std::move(same), given.bucket_of};
}
}  // namespace

MergedClasses merge_violating(const BucketedClasses& given, const Requirements& requirements,
                              Meter& meter) {
    if (given.classes.empty()) return as_they_are(given);
    MergingClasses classes(given);
    std::vector<ClassState> states;
    std::vector<Cell> room;
    Violating violating;
    for (int32_t c = 0; c < classes.size(); ++c) {
        states.emplace_back(requirements, given.classes[static_cast<size_t>(c)]);
        if (!states.back().holds(requirements, room)) violating.add(classes.records(c), c);
    }
    while (!violating.none()) {
        meter.advance(0);
        const int32_t c = violating.next(), other = classes.nearest(c, {});
        if (other == kNobody) break;
        violating.drop(classes.records(other), other);
        const int32_t kept = classes.merge(c, other);
        ClassState& gone = states[static_cast<size_t>(std::max(c, other))];
        ClassState& state = states[static_cast<size_t>(kept)];
        state.merge(gone);
        gone = {};
        if (!state.holds(requirements, room)) violating.add(state.records(), kept);
    }
    return classes.result();
}

MergedClasses merge_pairs(const BucketedClasses& given, std::span<const uint8_t> violating,
                          Meter& meter) {
    if (given.classes.empty()) return as_they_are(given);
    MergingClasses classes(given);
    Violating waiting;
    for (int32_t c = 0; c < classes.size(); ++c)
        if (violating[static_cast<size_t>(c)]) waiting.add(classes.records(c), c);
    std::vector<uint8_t> taken(given.classes.size(), 0);
    while (!waiting.none()) {
        meter.advance(0);
        const int32_t c = waiting.next(), other = classes.nearest(c, taken);
        if (other == kNobody) continue;
        waiting.drop(classes.records(other), other);
        taken[static_cast<size_t>(classes.merge(c, other))] = 1;
    }
    return classes.result();
}
}  // namespace incrowd
