#include "cell/mingen.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "cell/mingen_shares.hpp"

namespace incrowd {
namespace {
constexpr int64_t kNever = int64_t{1} << 62;  // more than anything costs
constexpr size_t kMostRemembered = size_t{1} << 21;

class Search {
  public:
    // `classes` with their excess as cost.
    Search(const Packing& packing, size_t n_items, std::vector<SmallClass>&& classes, int64_t unit,
           int64_t most_steps, Meter& meter)
        : packing_(packing), classes_(std::move(classes)), first_(n_items + 1, 0), unit_(unit),
          most_steps_(most_steps), meter_(meter) {
        std::ranges::sort(classes_, [&](const auto& one, const auto& other) {
            return std::tuple(packing.lowest(one.members), one.cost, one.members) <
                   std::tuple(packing.lowest(other.members), other.cost, other.members);
        });
        for (const SmallClass& each : classes_) ++first_[packing.lowest(each.members) + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
    }

    // Whether the best partition was found, or that there is none.
    bool run(int64_t first) {
        for (int64_t limit = first;;) {
            if (!within(limit)) return false;
            if (!best_.empty() || least_ == kNever) return true;
            limit = std::max(least_, limit + limit / 2);
        }
    }

    const std::vector<uint64_t>& best() const { return best_; }
    int64_t steps() const { return steps_; }

  private:
    struct Step {
        uint64_t left;   // what no class holds yet
        int64_t excess;  // of the classes so far
        size_t next = 0;
        SmallClass taken{0, 0};
        int64_t least = kNever;  // excess of what is left
    };

    // Looks for the best partition within the limit; false if it takes too many steps.
    bool within(int64_t limit) {
        std::vector<Step> path{{packing_.all(), 0}};
        while (!path.empty()) {
            Step& at = path.back();
            const size_t before = at.next;
            const bool any = choose(at, limit - at.excess);
            const auto tried = static_cast<int64_t>(at.next - before) + 1;
            meter_.advance(tried);
            if ((steps_ += tried) > most_steps_) return false;
            const uint64_t left = at.left - at.taken.members;
            const int64_t excess = at.excess + at.taken.cost;
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
    bool choose(Step& at, int64_t limit) const {
        const size_t item = packing_.lowest(at.left);
        const std::span classes(classes_.data() + first_[item], first_[item + 1] - first_[item]);
        for (; at.next < classes.size(); ++at.next) {
            const SmallClass& each = classes[at.next];
            if (each.cost > limit) {
                at.least = std::min(at.least, each.cost);
                return false;
            }
            if (!packing_.holds(at.left, each.members)) continue;
            const uint64_t left = at.left - each.members;
            const int64_t whole = each.cost + (left == 0 ? 0 : least_of(left));
            if (whole <= limit) {
                at.taken = each;
                ++at.next;
                return true;
            }
            at.least = std::min(at.least, whole);
        }
        return false;
    }

    int64_t least_of(uint64_t left) const {
        const auto found = known_.find(left);
        return found == known_.end() ? 0 : found->second;
    }

    void remember(uint64_t left, int64_t least) {
        const auto found = known_.find(left);
        if (found != known_.end()) found->second = std::max(found->second, least);
        else if (known_.size() < kMostRemembered) known_.emplace(left, least);
    }

    const Packing& packing_;
    std::vector<SmallClass> classes_;  // by lowest item, then by excess
    std::vector<size_t> first_;        // where those of each lowest item begin
    const int64_t unit_, most_steps_;  // all costs are multiples of the unit
    int64_t steps_ = 0, least_ = 0;    // the least excess of what was left last
    Meter& meter_;
    std::unordered_map<uint64_t, int64_t> known_;  // the least excess of what is left
    std::vector<uint64_t> best_;
};

// Makes costs as large as can be counted, and returns what they are multiples of: shares are whole
// numbers too, and what is lost to their rounding must be less than two partitions can differ by.
int64_t stretch(std::vector<SmallClass>& classes, int64_t n_copies) {
    int64_t unit = 0, dearest = 1;
    for (const SmallClass& each : classes) {
        unit = std::gcd(unit, each.cost);
        dearest = std::max(dearest, each.cost);
    }
    const int64_t factor = std::max<int64_t>(1, kMostCost / dearest / n_copies);
    for (SmallClass& each : classes) each.cost *= factor;
    return std::max<int64_t>(1, unit * factor);
}
}  // namespace

Partition mingen(const SmallItems& items, size_t most_classes, int64_t most_steps, Meter& meter) {
    const Packing packing(items.copies);
    if (!packing.fits()) return {};
    std::vector<SmallClass> classes = undivided_classes(items, packing, most_classes, meter);
    if (classes.empty()) return {};
    const int64_t n_copies = std::reduce(items.copies.begin(), items.copies.end());
    const int64_t unit = stretch(classes, n_copies);
    const std::vector<int64_t> shares = class_shares(items.copies, packing, classes, meter);
    const SumOfMembers<int64_t> sum(packing, shares);
    for (SmallClass& each : classes) each.cost -= sum(each.members);
    const int64_t bound = sum(packing.all());
    Search search(packing, items.size(), std::move(classes), unit, most_steps, meter);
    Partition answer;
    answer.finished = search.run(std::max<int64_t>(bound, 0) / 256);
    answer.steps = search.steps();
    if (!answer.finished) return answer;
    for (const uint64_t members : search.best())
        for (size_t item = 0; item < items.size(); ++item)
            answer.amounts.push_back(packing.amount(members, item));
    return answer;
}
}  // namespace incrowd
