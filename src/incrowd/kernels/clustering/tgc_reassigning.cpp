// Puts records that no class accepted into classes, one by one in the order of the tuples: each
// into the class whose diversity grows least, as it stands by then (Loukides and Shao 2008,
// section 3.1). By the total rule a class counts as often as it has records: the increase of size x
// diversity.  By the printed rule it counts once, and large classes, which hardly move, collect the
// rejected ones.
//
// Cost: records x classes looked at.  A record looks at all classes, or at those whose numbers are
// nearest to its home: the caller numbers classes along the leaves of a kd-tree.
// Ties go to the first class.  Twin: tests/naive/tgc.py.
#include <algorithm>
#include <limits>

#include "clustering/tgc.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
// By how much a class grows when its diversity becomes `x`: factor * x - rest.
struct Growth {
    double factor, rest, least;  // least: what any one more record leaves of the diversity
};

class Reassigning {
  public:
    Reassigning(std::vector<DiverseClass>&& classes, bool total, int64_t nearest)
        : classes_(std::move(classes)), total_(total), nearest_(nearest) {
        for (const DiverseClass& each : classes_) growth_.push_back(growth_of(each));
    }

    // Returns the class that a record of this tuple joined.
    int32_t place(int32_t tuple, int64_t home) {
        const auto n = static_cast<int64_t>(classes_.size());
        const int64_t looked_at = nearest_ > 0 ? std::min(nearest_, n) : n;
        const int64_t first = std::clamp(home - looked_at / 2, int64_t{0}, n - looked_at);
        const int64_t last = first + looked_at;
        // Classes that are likely to be good come first: the others are then passed over sooner.
        least_ = std::numeric_limits<double>::infinity();
        if (best_ >= first && best_ < last) consider(tuple, best_);
        for (int64_t at = std::min(home, last - 1); at < last; ++at) consider(tuple, at);
        for (int64_t at = first; at < std::min(home, last - 1); ++at) consider(tuple, at);
        classes_[best_].join(tuple, 1);
        growth_[best_] = growth_of(classes_[best_]);
        return static_cast<int32_t>(best_);
    }

  private:
    Growth growth_of(const DiverseClass& each) const {
        const auto size = static_cast<double>(each.size());
        if (total_) return {size + 1.0, size * each.diversity(), each.least_with()};
        return {1.0, each.diversity(), each.least_with()};
    }

    void consider(int32_t tuple, int64_t at) {
        const Growth& growth = growth_[at];
        const double limit = (least_ + growth.rest) / growth.factor + kSlack;
        const double diversity = classes_[at].diversity_with(tuple, growth.least, limit);
        const double grown = growth.factor * diversity - growth.rest;
        // What is subtracted is known to so many digits only.
        const double tie = kTie * std::max(growth.factor, growth_[best_].factor);
        if (grown < least_ - tie || (grown <= least_ + tie && at < best_)) best_ = at;
        least_ = std::min(least_, grown);
    }

    // Beyond all rounding: bounds only pass over classes that are worse.
    static constexpr double kSlack = 1e-9;

    std::vector<DiverseClass> classes_;
    std::vector<Growth> growth_;
    bool total_;
    int64_t nearest_, best_ = 0;
    double least_ = 0.0;
};
}  // namespace

void tgc_reassign(std::vector<DiverseClass>&& classes, std::vector<Rejected> rejected, bool total,
                  int64_t nearest, std::vector<Part>& parts, Meter& meter) {
    std::ranges::stable_sort(rejected,
                             [](auto& a, auto& b) { return a.part.tuple < b.part.tuple; });
    Reassigning reassigning(std::move(classes), total, nearest);
    for (const Rejected& each : rejected)
        for (int64_t record = 0; record < each.part.records; ++record) {
            const int32_t into = reassigning.place(each.part.tuple, each.home);
            if (record > 0 && parts.back().of == into) ++parts.back().records;
            else parts.push_back({each.part.tuple, into, 1});
            meter.advance(1);
        }
}
}  // namespace incrowd
