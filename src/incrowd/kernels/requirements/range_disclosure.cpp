#include "requirements/range_disclosure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace incrowd {
void NumberDisclosure::refer_to(std::span<const int64_t> by_value) {
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
    for (size_t value = 0; value < by_value.size(); ++value)
        if (by_value[value] > 0 && !unplaced_[value]) {
            least = std::min(least, place_[value]);
            most = std::max(most, place_[value]);
        }
    range_ = most > least ? most - least : 1;
    reach_ = static_cast<int64_t>(Wide{range_} * width_.above / width_.below);
}

// The pairs of each number with the larger ones in reach, by running sums.
bool NumberDisclosure::holds(int64_t records, Cells cells) const {
    std::vector<std::pair<int64_t, int64_t>> numbers;  // place, records
    Wide sum = 0;
    for (const Cell& cell : cells) {
        sum += Wide{cell.records} * cell.records * range_;
        if (!unplaced_[static_cast<size_t>(cell.value)])
            numbers.emplace_back(place_[static_cast<size_t>(cell.value)], cell.records);
    }
    std::ranges::sort(numbers);
    Wide count = 0, places = 0;  // of the numbers behind this one that are in reach
    size_t from = 0;
    for (const auto& [place, own] : numbers) {
        for (; place - numbers[from].first > reach_; ++from) {
            count -= numbers[from].second;
            places -= Wide{numbers[from].second} * (numbers[from].first - numbers[0].first);
        }
        const Wide offset = place - numbers[0].first;
        sum += 2 * own * (count * range_ - (count * offset - places));
        count += own;
        places += own * offset;
    }
    return sum * most_.below <= Wide{most_.above} * records * records * range_;
}

TreeDisclosure::TreeDisclosure(Fraction most, Fraction width, std::vector<int32_t> parent,
                               std::vector<int64_t> leaves_under, std::vector<int32_t> leaf,
                               int64_t leaves, int32_t missing)
    : most_(most), width_(width), parent_(std::move(parent)),
      leaves_under_(std::move(leaves_under)), leaf_(std::move(leaf)), leaves_(leaves),
      missing_(missing), counts_values_(leaves == 0) {
    if (!counts_values_) weigh();
}

void TreeDisclosure::weigh() {
    weight_.clear();
    for (const int64_t under : leaves_under_) {
        const int64_t farther = (counts_values_ ? std::min<int64_t>(under, 2) : under) - 1;
        const bool near = Wide{farther} * width_.below <= Wide{width_.above} * leaves_;
        weight_.push_back(near || farther == 0 ? std::max<int64_t>(leaves_ - farther, 0) : 0);
    }
}

void TreeDisclosure::refer_to(std::span<const int64_t> by_value) {
    if (!counts_values_) return;
    leaves_ = 0;
    for (size_t value = 0; value < by_value.size(); ++value)
        leaves_ += by_value[value] > 0 && static_cast<int32_t>(value) != missing_;
    leaves_ = std::max<int64_t>(leaves_, 1);
    weigh();
}

// The pairs whose lowest node is this one are those under it less those under one of its children.
bool TreeDisclosure::holds(int64_t records, Cells cells) const {
    std::vector<std::pair<int32_t, int64_t>> under;  // node, records
    for (const Cell& cell : cells)
        for (int32_t node = leaf_[static_cast<size_t>(cell.value)];;
             node = parent_[static_cast<size_t>(node)]) {
            under.emplace_back(node, cell.records);
            if (parent_[static_cast<size_t>(node)] == node) break;
        }
    std::ranges::sort(under);
    Wide sum = 0;
    for (size_t from = 0, to; from < under.size(); from = to) {
        int64_t own = 0;
        for (to = from; to < under.size() && under[to].first == under[from].first; ++to)
            own += under[to].second;
        const auto node = static_cast<size_t>(under[from].first);
        const auto above = static_cast<size_t>(parent_[node]);
        sum += Wide{own} * own * (weight_[node] - (above == node ? 0 : weight_[above]));
    }
    return sum * most_.below <= Wide{most_.above} * records * records * leaves_;
}
}  // namespace incrowd
