// The cheapest partition of a small multiset into classes of at least k records.
//
// Every item bears a share of the cost of whatever class it is in (class_shares.hpp), and a class
// is left with the excess of its cost over the shares of its members.  The excesses of a partition
// add up to what it costs more than the bound, so those of the best are small: partitions are
// looked for within a limit on their excess, depth first, taking a class for the lowest item that
// is left.  Where there is none the limit is raised; once there is one it is lowered, until no
// better one is left.  What is left over at a step, and the excess that it is known to exceed, is
// remembered: iterative deepening with a transposition table.
// Cost: exponential, and counted; the search gives up at a number of steps.
// Twin: tests/naive/partitions.py.
#include <nanobind/stl/function.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cell/class_shares.hpp"
#include "cell/small_classes.hpp"
#include "core/arrays.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

constexpr std::int64_t kMostCost = std::int64_t{1} << 50, kMostCopies = 1 << 15;
constexpr std::int64_t kNever = std::int64_t{1} << 62;  // more than anything costs
constexpr std::size_t kMostRemembered = std::size_t{1} << 21;

class Search {
  public:
    // `classes` with their excess as cost.
    Search(const Packing& packing, std::size_t n_items, std::vector<SmallClass>&& classes,
           std::int64_t unit, std::int64_t most_steps, Meter& meter)
        : packing_(packing),
          classes_(std::move(classes)),
          first_(n_items + 1, 0),
          unit_(unit),
          most_steps_(most_steps),
          meter_(meter) {
        std::sort(classes_.begin(), classes_.end(), [&](const auto& one, const auto& other) {
            return std::tuple(packing.lowest(one.members), one.cost, one.members) <
                   std::tuple(packing.lowest(other.members), other.cost, other.members);
        });
        for (const SmallClass& each : classes_) ++first_[packing.lowest(each.members) + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
    }

    // Whether the best partition was found, or that there is none.
    bool run(std::int64_t first) {
        for (std::int64_t limit = first;;) {
            if (!within(limit)) return false;
            if (!best_.empty() || least_ == kNever) return true;
            limit = std::max(least_, limit + limit / 2);
        }
    }

    const std::vector<std::uint64_t>& best() const { return best_; }
    std::int64_t steps() const { return steps_; }

  private:
    struct Step {
        std::uint64_t left;   // what no class holds yet
        std::int64_t excess;  // of the classes so far
        std::size_t next = 0;
        SmallClass taken{0, 0};
        std::int64_t least = kNever;  // excess of what is left
    };

    // Looks for the best partition within the limit; false if it takes too many steps.
    bool within(std::int64_t limit) {
        std::vector<Step> path{{packing_.all(), 0}};
        while (!path.empty()) {
            Step& at = path.back();
            const std::size_t before = at.next;
            const bool any = choose(at, limit - at.excess);
            const auto tried = static_cast<std::int64_t>(at.next - before) + 1;
            meter_.advance(tried);
            if ((steps_ += tried) > most_steps_) return false;
            const std::uint64_t left = at.left - at.taken.members;
            const std::int64_t excess = at.excess + at.taken.cost;
            if (any && left != 0) {
                path.push_back({left, excess});
            } else if (any) {
                at.least = std::min(at.least, at.taken.cost);
                best_.clear();
                for (const Step& each : path) best_.push_back(each.taken.members);
                limit = excess - unit_;
            } else {
                least_ = at.least;
                remember(at.left, least_);
                path.pop_back();
                if (path.empty()) break;
                Step& above = path.back();
                above.least = std::min(above.least, above.taken.cost + least_);
            }
        }
        return true;
    }

    // Takes the next class whose excess, with what is known of the rest, is within the limit.
    bool choose(Step& at, std::int64_t limit) const {
        const std::size_t item = packing_.lowest(at.left);
        const std::span classes(classes_.data() + first_[item], first_[item + 1] - first_[item]);
        for (; at.next < classes.size(); ++at.next) {
            const SmallClass& each = classes[at.next];
            if (each.cost > limit) {
                at.least = std::min(at.least, each.cost);
                return false;
            }
            if (!packing_.holds(at.left, each.members)) continue;
            const std::uint64_t left = at.left - each.members;
            const std::int64_t whole = each.cost + (left == 0 ? 0 : least_of(left));
            if (whole <= limit) {
                at.taken = each;
                ++at.next;
                return true;
            }
            at.least = std::min(at.least, whole);
        }
        return false;
    }

    std::int64_t least_of(std::uint64_t left) const {
        const auto found = known_.find(left);
        return found == known_.end() ? 0 : found->second;
    }

    void remember(std::uint64_t left, std::int64_t least) {
        const auto found = known_.find(left);
        if (found != known_.end())
            found->second = std::max(found->second, least);
        else if (known_.size() < kMostRemembered)
            known_.emplace(left, least);
    }

    const Packing& packing_;
    std::vector<SmallClass> classes_;       // by lowest item, then by excess
    std::vector<std::size_t> first_;        // where those of each lowest item begin
    const std::int64_t unit_, most_steps_;  // all costs are multiples of the unit
    std::int64_t steps_ = 0, least_ = 0;    // the least excess of what was left last
    Meter& meter_;
    std::unordered_map<std::uint64_t, std::int64_t> known_;  // the least excess of what is left
    std::vector<std::uint64_t> best_;
};

struct Answer {
    std::vector<std::int64_t> amounts;  // (classes, items)
    std::int64_t steps = 0;
    bool finished = false;
};

// Makes costs as large as can be counted, and returns what they are multiples of: shares are whole
// numbers too, and what is lost to their rounding must be less than two partitions can differ by.
std::int64_t stretch(std::vector<SmallClass>& classes, std::int64_t n_copies) {
    std::int64_t unit = 0, dearest = 1;
    for (const SmallClass& each : classes) {
        unit = std::gcd(unit, each.cost);
        dearest = std::max(dearest, each.cost);
    }
    const std::int64_t factor = std::max<std::int64_t>(1, kMostCost / dearest / n_copies);
    for (SmallClass& each : classes) each.cost *= factor;
    return std::max<std::int64_t>(1, unit * factor);
}

Answer best_partition(const SmallItems& items, std::size_t most_classes, std::int64_t most_steps,
                      Meter& meter) {
    const Packing packing(items.copies);
    if (!packing.fits()) return {};
    std::vector<SmallClass> classes = undivided_classes(items, packing, most_classes, meter);
    if (classes.empty()) return {};
    const std::int64_t n_copies = std::reduce(items.copies.begin(), items.copies.end());
    const std::int64_t unit = stretch(classes, n_copies);
    const std::vector<std::int64_t> shares = class_shares(items.copies, packing, classes, meter);
    const SumOfMembers<std::int64_t> sum(packing, shares);
    for (SmallClass& each : classes) each.cost -= sum(each.members);
    const std::int64_t bound = sum(packing.all());
    Search search(packing, items.size(), std::move(classes), unit, most_steps, meter);
    Answer answer;
    answer.finished = search.run(std::max<std::int64_t>(bound, 0) / 256);
    answer.steps = search.steps();
    if (!answer.finished) return answer;
    for (const std::uint64_t members : search.best())
        for (std::size_t item = 0; item < items.size(); ++item)
            answer.amounts.push_back(packing.amount(members, item));
    return answer;
}

void check(const SmallItems& items) {
    const std::size_t n = items.size(), each = items.n_columns * n;
    double records = 0, cost = 0;
    std::int64_t copies = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (items.copies[i] < 1 || items.copies[i] > kMostCopies || items.records[i] < 1)
            throw std::invalid_argument("exact_partition: no copies of an item, or too many");
        if (i > 0 && items.records[i] > items.records[i - 1])
            throw std::invalid_argument("exact_partition: the items are not in order");
        copies += items.copies[i];
        records += static_cast<double>(items.copies[i]) * static_cast<double>(items.records[i]);
    }
    if (n == 0 || items.records.size() != n || items.levels.size() != each * n ||
        items.prices.size() != each * items.n_levels)
        throw std::invalid_argument("exact_partition: the arrays do not fit together");
    for (const std::int32_t level : items.levels)
        if (level < 0 || static_cast<std::size_t>(level) >= items.n_levels)
            throw std::invalid_argument("exact_partition: there is no such level");
    for (std::size_t at = 0; at < items.prices.size(); ++at) {
        const std::int64_t before = at / n % items.n_levels == 0 ? 0 : items.prices[at - n];
        if (items.prices[at] < before)
            throw std::invalid_argument("exact_partition: a price falls with the level");
        cost += static_cast<double>(items.copies[at % n]) *
                static_cast<double>(items.prices[at] - before);
    }
    if (copies > kMostCopies || records > 0x1p62 || cost > static_cast<double>(kMostCost))
        throw std::invalid_argument("exact_partition: more than can be counted");
    if (items.k < 1 || static_cast<double>(items.k) > records)
        throw std::invalid_argument("exact_partition: there are fewer than k records");
}

}  // namespace

void bind_exact_partition(nb::module_& module) {
    module.def(
        "exact_partition",
        [](In<std::int64_t, 1> copies, In<std::int64_t, 1> records, In<std::int32_t, 3> levels,
           In<std::int64_t, 3> prices, std::int64_t k, std::int64_t most_classes,
           std::int64_t most_steps, Meter::Report report) {
            const SmallItems items{{copies.data(), copies.size()},
                                   {records.data(), records.size()},
                                   {levels.data(), levels.size()},
                                   {prices.data(), prices.size()},
                                   levels.shape(0),
                                   prices.shape(1),
                                   k};
            if (most_classes < 1 || most_steps < 1)
                throw std::invalid_argument("exact_partition: nothing may be tried");
            if (records.size() != copies.size())
                throw std::invalid_argument("exact_partition: the arrays do not fit together");
            check(items);
            Answer answer;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                answer = best_partition(items, static_cast<std::size_t>(most_classes), most_steps,
                                        meter);
            }
            return std::tuple(to_numpy(std::move(answer.amounts)), answer.steps, answer.finished);
        },
        nb::arg("copies"), nb::arg("records"), nb::arg("levels"), nb::arg("prices"), nb::arg("k"),
        nb::arg("most_classes"), nb::arg("most_steps"), nb::arg("report"));
}

}  // namespace incrowd
