#include "clustering/top_down_division.hpp"

#include <algorithm>
#include <cmath>

#include "core/ties.hpp"

namespace incrowd {

void GrowingClass::start(const std::int32_t* row, std::int64_t records, std::size_t expected) {
    shape_.clear();
    shape_.join_all(row);
    records_ = records;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const auto n_codes = static_cast<std::size_t>(columns_[j].n_codes);
        tabled_[j] = columns_[j].kind == ShapeColumn::kTree && n_codes <= 4 * expected;
        if (tabled_[j] && by_code_[j].empty()) by_code_[j].resize(n_codes);
        refresh(j);
    }
    add_up();
}

void GrowingClass::join(const std::int32_t* row, std::int64_t records) {
    bool grown = false;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const bool costs_more = with(j, row[j]) != cost_[j];
        shape_.join(j, row[j]);
        if (costs_more) refresh(j);  // otherwise no other record's cost has changed either
        grown |= costs_more;
    }
    records_ += records;
    if (grown) add_up();
}

void GrowingClass::refresh(std::size_t j) {
    cost_[j] = shape_.cost(j);
    if (tabled_[j]) shape_.costs_with(j, by_code_[j].data());
}

void GrowingClass::add_up() {
    total_ = 0.0;
    for (const double each : cost_) total_ += each;
}

bool Divider::divisible(const Whole& whole) const {
    if (whole.records < 2 * division_.k) return false;
    const std::int32_t* first = division_.row(whole.items.front());
    return std::any_of(whole.items.begin(), whole.items.end(), [&](const Share& item) {
        return !std::equal(first, first + division_.columns.size(), division_.row(item));
    });
}

std::pair<Whole, Whole> Divider::divide(const Whole& whole) {
    Random random(whole.seed);
    const Shares& items = whole.items;
    const auto [u, v] = far_pair(whole, random);
    side_of_.assign(items.size(), 0);
    side_of_[v] = 1;
    sides_[0].start(row(items, u), items[u].records, items.size());
    sides_[1].start(row(items, v), items[v].records, items.size());
    deal(items, u, v, random);
    const std::size_t small = sides_[1].records() < sides_[0].records();
    borrow(items, small);
    auto halves = separated(whole, small);
    halves.first.seed = random.next();
    halves.second.seed = random.next();
    return halves;
}

// From a random record to the one farthest from it, and on from there while that goes farther.
std::pair<std::size_t, std::size_t> Divider::far_pair(const Whole& whole, Random& random) {
    auto record =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(whole.records)));
    std::size_t u = 0;
    while (record >= whole.items[u].records) record -= whole.items[u++].records;
    auto [v, distance] = farthest(whole.items, u);
    for (std::int64_t round = 1; round < division_.rounds; ++round) {
        const auto [next, farther] = farthest(whole.items, v);
        if (farther <= distance + kTie) break;
        u = v;
        v = next;
        distance = farther;
    }
    return {u, v};
}

std::pair<std::size_t, double> Divider::farthest(const Shares& items, std::size_t from) {
    GrowingClass& side = sides_[0];
    side.start(row(items, from), items[from].records, items.size());
    std::size_t found = from == 0 ? 1 : 0;
    double most = side.with(row(items, found));
    for (std::size_t at = found + 1; at < items.size(); ++at) {
        if (at == from) continue;
        const double distance = side.with(row(items, at));
        if (distance > most + kTie) {
            most = distance;
            found = at;
        }
    }
    return {found, most};
}

// Each tuple, in random order, to the side whose penalty it increases less; then to the smaller.
void Divider::deal(const Shares& items, std::size_t u, std::size_t v, Random& random) {
    order_.clear();
    for (std::size_t at = 0; at < items.size(); ++at)
        if (at != u && at != v) order_.push_back(at);
    for (std::size_t left = order_.size(); left > 1; --left)
        std::swap(order_[left - 1], order_[random.below(left)]);
    for (const std::size_t at : order_) {
        const std::int64_t records = items[at].records;
        const double first = sides_[0].increase(row(items, at), records);
        const double second = sides_[1].increase(row(items, at), records);
        const bool fewer = sides_[1].records() < sides_[0].records();
        const auto most = static_cast<double>(sides_[0].records() + sides_[1].records() + records);
        const bool equal = std::abs(first - second) <= kTie * most;
        const std::size_t side = equal ? fewer : second < first;
        sides_[side].join(row(items, at), records);
        side_of_[at] = static_cast<std::uint8_t>(side);
    }
}

// Fills `borrowed_`: what the smaller side takes from the other's nearest tuples to have k.
void Divider::borrow(const Shares& items, std::size_t small) {
    borrowed_.assign(items.size(), 0);
    std::int64_t wanted = division_.k - sides_[small].records();
    if (wanted <= 0) return;
    nearest_.clear();
    for (std::size_t at = 0; at < items.size(); ++at)
        if (side_of_[at] != small) nearest_.emplace_back(sides_[small].with(row(items, at)), at);
    const std::size_t enough = std::min(nearest_.size(), static_cast<std::size_t>(wanted));
    std::partial_sort(nearest_.begin(), nearest_.begin() + enough, nearest_.end());
    for (auto each = nearest_.begin(); wanted > 0; ++each) {
        borrowed_[each->second] = std::min(items[each->second].records, wanted);
        wanted -= borrowed_[each->second];
    }
}

std::pair<Whole, Whole> Divider::separated(const Whole& whole, std::size_t small) const {
    Whole halves[2] = {{{}, 0, 0}, {{}, 0, 0}};
    for (std::size_t at = 0; at < whole.items.size(); ++at) {
        const auto [tuple, records] = whole.items[at];
        const std::size_t side = side_of_[at];
        const std::int64_t moved = side == small ? 0 : borrowed_[at];
        if (records > moved) halves[side].items.push_back({tuple, records - moved});
        if (moved > 0) halves[small].items.push_back({tuple, moved});
        halves[side].records += records - moved;
        halves[small].records += moved;
    }
    return {std::move(halves[0]), std::move(halves[1])};
}

}  // namespace incrowd
