// Puts records that no class accepted into classes, one by one in the order of the tuples: each
// into the class whose diversity grows least, as it stands by then (Loukides and Shao 2008,
// section 3.1). By the total rule a class counts as often as it has records: the increase of size x
// diversity.  By the printed rule it counts once, and large classes, which hardly move, collect the
// rejected ones.
//
// Cost: records x classes looked at.  A record looks at all classes, or at those whose numbers are
// nearest to its home: the caller numbers classes along the leaves of a kd-tree.
// Ties go to the first class.  Twin: tests/naive/tgc.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "clustering/tuple_diversity.hpp"
#include "core/ties.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

struct Rejected {
    Part part;
    std::int32_t home;
};

// By how much a class grows when its diversity becomes `x`: factor * x - rest.
struct Growth {
    double factor, rest, least;  // least: what any one more record leaves of the diversity
};

class Reassigning {
  public:
    Reassigning(std::vector<DiverseClass>&& classes, bool total, std::int64_t nearest)
        : classes_(std::move(classes)), total_(total), nearest_(nearest) {
        for (const DiverseClass& each : classes_) growth_.push_back(growth_of(each));
    }

    // Returns the class that a record of this tuple joined.
    std::int32_t place(std::int32_t tuple, std::int64_t home) {
        const auto n = static_cast<std::int64_t>(classes_.size());
        const std::int64_t looked_at = nearest_ > 0 ? std::min(nearest_, n) : n;
        const std::int64_t first = std::clamp(home - looked_at / 2, std::int64_t{0}, n - looked_at);
        const std::int64_t last = first + looked_at;
        // Classes that are likely to be good come first: the others are then passed over sooner.
        least_ = std::numeric_limits<double>::infinity();
        if (best_ >= first && best_ < last) consider(tuple, best_);
        for (std::int64_t at = std::min(home, last - 1); at < last; ++at) consider(tuple, at);
        for (std::int64_t at = first; at < std::min(home, last - 1); ++at) consider(tuple, at);
        classes_[best_].join(tuple, 1);
        growth_[best_] = growth_of(classes_[best_]);
        return static_cast<std::int32_t>(best_);
    }

  private:
    Growth growth_of(const DiverseClass& each) const {
        const auto size = static_cast<double>(each.size());
        if (total_) return {size + 1.0, size * each.diversity(), each.least_with()};
        return {1.0, each.diversity(), each.least_with()};
    }

    void consider(std::int32_t tuple, std::int64_t at) {
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
    std::int64_t nearest_, best_ = 0;
    double least_ = 0.0;
};

void reassign(Reassigning& reassigning, std::span<const Rejected> rejected,
              std::vector<Part>& parts, Meter& meter) {
    for (const Rejected& each : rejected)
        for (std::int64_t record = 0; record < each.part.records; ++record) {
            const std::int32_t into = reassigning.place(each.part.tuple, each.home);
            if (record > 0 && parts.back().of == into)
                ++parts.back().records;
            else
                parts.push_back({each.part.tuple, into, 1});
            meter.advance(1);
        }
}

}  // namespace

void bind_reassigning(nb::module_& module) {
    module.def(
        "reassign_records",
        [](const DiverseTuples& tuples, In<std::int32_t, 1> tuple_of, In<std::int32_t, 1> class_of,
           In<std::int64_t, 1> records, In<std::int32_t, 1> home, std::int64_t n_classes,
           bool total, std::int64_t nearest, Meter::Report report) {
            const auto given = read_parts(tuples, tuple_of, class_of, records, n_classes);
            if (home.size() != given.size() || n_classes < 1)
                throw std::invalid_argument("reassign_records: a home per part, and a class");
            std::vector<Part> parts;
            std::vector<Rejected> rejected;
            for (std::size_t p = 0; p < given.size(); ++p) {
                if (home.data()[p] < 0 || home.data()[p] > n_classes)
                    throw std::invalid_argument("reassign_records: a home is out of range");
                if (given[p].of >= 0)
                    parts.push_back(given[p]);
                else
                    rejected.push_back({given[p], home.data()[p]});
            }
            {
                nb::gil_scoped_release release;
                std::stable_sort(rejected.begin(), rejected.end(),
                                 [](auto& a, auto& b) { return a.part.tuple < b.part.tuple; });
                auto classes = classes_of(tuples, parts, n_classes);
                for (const DiverseClass& each : classes)
                    if (each.size() == 0)
                        throw std::invalid_argument("reassign_records: a class is empty");
                Reassigning reassigning(std::move(classes), total, nearest);
                Meter meter(report);
                reassign(reassigning, rejected, parts, meter);
            }
            return write_parts(parts);
        },
        nb::arg("tuples"), nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"),
        nb::arg("home"), nb::arg("n_classes"), nb::arg("total"), nb::arg("nearest"),
        nb::arg("report"));
}

}  // namespace incrowd
