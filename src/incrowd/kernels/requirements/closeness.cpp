#include "requirements/closeness.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace incrowd {
// Half of the sum of differences is what stands above the usual shares.
bool EqualCloseness::holds(int64_t records, Cells cells) const {
    Wide above = 0;
    for (const Cell& cell : cells)
        above += std::max<Wide>(
            0, Wide{cell.records} * reference_.total - Wide{reference_.of(cell.value)} * records);
    return above * most_.below <= Wide{most_.above} * records * reference_.total;
}

// A part of n records has 1 - t of its records within the usual shares, so its values, capped at
// those, add up to that.  A value's share in what is left of the table is at most its records over
// those that are certainly left.
int64_t EqualCloseness::largest_part(int64_t records, Cells cells, int64_t dropped) const {
    const int64_t left = reference_.total - dropped;
    if (left <= 0) return records;
    return largest_possible(records, [&](int64_t n) {
        Wide sum = 0;
        for (const Cell& cell : cells)
            sum += std::min(Wide{cell.records} * left, Wide{reference_.of(cell.value)} * n);
        return sum * most_.below >= Wide{most_.below - most_.above} * n * left;
    });
}

void OrderedCloseness::refer_to(std::span<const int64_t> by_value) {
    std::vector<size_t> order;
    for (size_t value = 0; value < by_value.size(); ++value)
        if (by_value[value] > 0) order.push_back(value);
    std::ranges::sort(order, {}, [this](size_t value) { return rank_[value]; });
    place_.assign(by_value.size(), -1);
    below_.clear();
    sums_.assign(1, 0);
    total_ = 0;
    for (size_t at = 0; at < order.size(); ++at) {
        total_ += by_value[order[at]];
        place_[order[at]] = static_cast<int64_t>(below_.size());
        // Values of the same rank are one: 39 and 39.0.
        if (at + 1 < order.size() && rank_[order[at]] == rank_[order[at + 1]]) continue;
        below_.push_back(total_);
        sums_.push_back(sums_.back() + total_);
    }
}

Wide OrderedCloseness::gap(size_t from, size_t to, Wide moved, int64_t records) const {
    const auto start = below_.begin();
    const auto crossing = std::partition_point(
        start + static_cast<std::ptrdiff_t>(from), start + static_cast<std::ptrdiff_t>(to),
        [&](int64_t below) { return Wide{below} * records <= moved; });
    const auto middle = static_cast<size_t>(crossing - start);
    const auto sum = [&](size_t a, size_t b) { return (sums_[b] - sums_[a]) * records; };
    return moved * static_cast<int64_t>(middle - from) - sum(from, middle) + sum(middle, to) -
           moved * static_cast<int64_t>(to - middle);
}

bool OrderedCloseness::holds(int64_t records, Cells cells) const {
    const size_t m = below_.size();
    std::vector<std::pair<size_t, int64_t>> at;  // place, records
    for (const Cell& cell : cells) {
        const int64_t place = place_[static_cast<size_t>(cell.value)];
        if (place < 0) return false;
        at.emplace_back(static_cast<size_t>(place), cell.records);
    }
    if (m < 2) return true;
    std::ranges::sort(at);
    Wide sum = 0, moved = 0;
    size_t from = 0;
    for (const auto& [place, own] : at) {
        sum += gap(from, place, moved, records);
        moved += Wide{own} * total_;
        from = place;
    }
    sum += gap(from, m, moved, records);
    return sum * most_.below <= Wide{most_.above} * records * total_ * static_cast<int64_t>(m - 1);
}

TreeCloseness::TreeCloseness(Fraction most, std::vector<int32_t> parent,
                             std::vector<int32_t> height, std::vector<int32_t> leaf)
    : most_(most), parent_(std::move(parent)), height_(std::move(height)), leaf_(std::move(leaf)) {}

void TreeCloseness::refer_to(std::span<const int64_t> by_value) {
    under_.assign(parent_.size(), 0);
    total_ = 0;
    for (size_t value = 0; value < by_value.size(); ++value) {
        total_ += by_value[value];
        for (auto node = static_cast<size_t>(leaf_[value]);;
             node = static_cast<size_t>(parent_[node])) {
            under_[node] += by_value[value];
            if (static_cast<size_t>(parent_[node]) == node) break;
        }
    }
}

// A node whose children have too much and too little moves the smaller of both over its height.
// What its children have too little is what they have too much less what it has itself.  Where the
// class has nothing, nothing is too much: only nodes above its values move anything.
bool TreeCloseness::holds(int64_t records, Cells cells) const {
    std::vector<std::pair<int32_t, int64_t>> level;  // node, records of the class under it
    for (const Cell& cell : cells)
        level.emplace_back(leaf_[static_cast<size_t>(cell.value)], cell.records);
    // Node by node upwards: children have smaller heights than their parents.
    std::vector<int64_t> own(parent_.size(), 0);
    std::vector<Wide> too_much(parent_.size(), 0);
    std::vector<int32_t> touched;
    for (const auto& [leaf, count] : level)
        for (int32_t node = leaf;; node = parent_[static_cast<size_t>(node)]) {
            if (own[static_cast<size_t>(node)] == 0) touched.push_back(node);
            own[static_cast<size_t>(node)] += count;
            if (parent_[static_cast<size_t>(node)] == node) break;
        }
    const auto extra = [&](size_t node) {
        return Wide{own[node]} * total_ - Wide{under_[node]} * records;
    };
    for (const int32_t each : touched) {
        const auto node = static_cast<size_t>(each), above = static_cast<size_t>(parent_[node]);
        if (above != node) too_much[above] += std::max<Wide>(0, extra(node));
    }
    Wide sum = 0;
    for (const int32_t each : touched) {
        const auto node = static_cast<size_t>(each);
        sum += height_[node] * std::min(too_much[node], too_much[node] - extra(node));
    }
    const int32_t root_height = *std::ranges::max_element(height_);
    return sum * most_.below <= Wide{most_.above} * records * total_ * root_height;
}
}  // namespace incrowd
