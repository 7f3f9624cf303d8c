// The cheapest partition of a small multiset into classes, by dynamic programming over its parts.
//
// A part takes some copies of each item, and is numbered in mixed radix: the first item counts
// fastest.  best(part) is the least of cost(c) + best(part - c) over all classes c in it that hold
// a copy of its last item, so every partition is looked at once.  Of equally dear ones (within
// `tolerance`) the one with the fewest cells is taken, then the one whose classes come first.
// Cost: the product over the items of (copies + 1)(copies + 2)/2.
// Twin: tests/naive_partitions.py.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "workers.hpp"

namespace incrowd {

namespace {

constexpr std::int64_t kMostParts = std::int64_t{1} << 28;

class Partitions {
public:
    Partitions(std::span<const std::int64_t> copies, std::span<const double> cost,
               std::span<const std::int64_t> cells, double tolerance, Meter& meter)
        : copies_(copies), cost_(cost), cells_(cells), tolerance_(tolerance), meter_(meter),
          strides_(copies.size()), whole_(copies.size()), taken_(copies.size()),
          best_cost_(cost.size(), std::numeric_limits<double>::infinity()),
          best_cells_(cost.size(), 0), choice_(cost.size(), 0) {
        std::int64_t stride = 1;
        for (std::size_t j = 0; j < copies.size(); ++j) {
            strides_[j] = stride;
            stride *= copies[j] + 1;
        }
        best_cost_[0] = 0;
    }

    // Looks at every part, and returns how many classes were tried in them.
    std::int64_t run() {
        const auto n_parts = static_cast<std::int64_t>(cost_.size());
        const std::int64_t last = strides_.back();
        for (std::int64_t part = 1; part < n_parts; ++part) {
            next(whole_);
            // The only copy of the last item is in the first class taken: no other part has it.
            if (copies_.back() == 1 && part >= last && part + 1 < n_parts) continue;
            const std::int64_t before = tried_;
            settle(part);
            meter_.advance(tried_ - before);
        }
        return tried_;
    }

    // The classes of the best partition of everything; none if there is none.
    std::vector<std::int64_t> classes() const {
        std::vector<std::int64_t> found;
        auto part = static_cast<std::int64_t>(cost_.size()) - 1;
        if (best_cost_[part] == std::numeric_limits<double>::infinity()) return found;
        for (; part > 0; part -= choice_[part]) found.push_back(choice_[part]);
        return found;
    }

private:
    // The digits of the next part.
    void next(std::vector<std::int64_t>& digits) const {
        for (std::size_t j = 0; ++digits[j] > copies_[j]; ++j) digits[j] = 0;
    }

    void settle(std::int64_t part) {
        std::size_t top = copies_.size() - 1;
        while (whole_[top] == 0) --top;
        std::fill(taken_.begin(), taken_.end(), 0);
        taken_[top] = 1;
        const std::int64_t run = top > 0 ? whole_[0] : 0;  // classes that differ in the first item
        for (std::int64_t start = strides_[top];;) {
            for (std::int64_t at = start; at <= start + run; ++at) weigh(part, at);
            tried_ += run + 1;
            std::size_t j = top > 0 ? 1 : 0;
            for (; j <= top && taken_[j] == whole_[j]; ++j) {
                start -= taken_[j] * strides_[j];
                taken_[j] = 0;
            }
            if (j > top) return;
            ++taken_[j];
            start += strides_[j];
        }
    }

    void weigh(std::int64_t part, std::int64_t at) {
        const double cost = cost_[at] + best_cost_[part - at];
        if (!(cost < best_cost_[part] + tolerance_)) return;
        const std::int64_t cells = cells_[at] + best_cells_[part - at];
        if (cost >= best_cost_[part] - tolerance_ && cells >= best_cells_[part]) return;
        best_cost_[part] = cost;
        best_cells_[part] = cells;
        choice_[part] = at;
    }

    std::span<const std::int64_t> copies_;
    std::span<const double> cost_;
    std::span<const std::int64_t> cells_;
    const double tolerance_;
    Meter& meter_;
    std::vector<std::int64_t> strides_;
    std::vector<std::int64_t> whole_, taken_;  // copies in the part at hand, and in the class
    std::vector<double> best_cost_;
    std::vector<std::int64_t> best_cells_, choice_;  // by part; the class to take out of it
    std::int64_t tried_ = 0;
};

void check(std::span<const std::int64_t> copies, std::size_t n_cost, std::size_t n_cells,
           double tolerance) {
    std::int64_t parts = 1;
    for (const std::int64_t each : copies) {
        if (each < 1 || each >= kMostParts / parts)
            throw std::invalid_argument("exact_partition: no copies of an item, or too many");
        parts *= each + 1;
    }
    if (copies.empty() || static_cast<std::size_t>(parts) != n_cost || n_cells != n_cost)
        throw std::invalid_argument("exact_partition: the arrays do not fit together");
    if (!(tolerance > 0)) throw std::invalid_argument("exact_partition: no tolerance");
}

}  // namespace

void bind_exact_partition(nb::module_& module) {
    module.def(
        "exact_partition",
        [](In<std::int64_t, 1> copies, In<double, 1> cost, In<std::int64_t, 1> cells,
           double tolerance, Meter::Report report) {
            const std::span<const std::int64_t> items{copies.data(), copies.size()};
            check(items, cost.size(), cells.size(), tolerance);
            std::vector<std::int64_t> classes;
            std::int64_t tried = 0;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                Partitions partitions(items, {cost.data(), cost.size()},
                                      {cells.data(), cells.size()}, tolerance, meter);
                tried = partitions.run();
                classes = partitions.classes();
            }
            return std::pair(to_numpy(std::move(classes)), tried);
        },
        nb::arg("copies"), nb::arg("cost"), nb::arg("cells"), nb::arg("tolerance"),
        nb::arg("report"));
}

}  // namespace incrowd
