// What classes would cost with a record, or without it.
#include <algorithm>

#include "clustering/local_search_classes.hpp"

namespace incrowd {
namespace {
// Adds to each of n costs what a column costs if a code joins a shape.
void add_costs(const FixedColumn& column, int32_t code, const int32_t* first, const int32_t* last,
               size_t n, int32_t* costs) {
    if (column.line) {
        const int32_t place = column.start[code], full = column.full;
        for (size_t c = 0; c < n; ++c)
            costs[c] += std::min(std::max(last[c], place) - std::min(first[c], place), full);
    } else if (!column.joined_cost.empty()) {
        const int32_t* table =
            column.joined_cost.data() + static_cast<size_t>(code) * column.n_nodes;
        for (size_t c = 0; c < n; ++c) costs[c] += table[first[c]];
    } else {
        for (size_t c = 0; c < n; ++c) costs[c] += column.join_cost(first[c], code);
    }
}
}  // namespace

const std::vector<int32_t>& EditableClasses::pair_costs(int32_t item) {
    const size_t n = class_of_.size();
    pairs_.assign(n, 0);
    const int32_t* row = codes(item);
    for (size_t j = 0; j < d_; ++j)
        add_costs(columns_[j], row[j], by_column_.data() + j * n, by_column_.data() + j * n, n,
                  pairs_.data());
    work_ += n * d_;
    return pairs_;
}

const std::vector<int32_t>& EditableClasses::costs_with(int32_t item) {
    const size_t n = size_.size();
    scan_.assign(n, 0);
    const int32_t* row = codes(item);
    for (size_t j = 0; j < d_; ++j)
        add_costs(columns_[j], row[j], first_of(j), last_of(j), n, scan_.data());
    for (size_t c = 0; c < n; ++c)
        if (size_[c] == 0) scan_[c] = kDead;
    work_ += n * d_;
    return scan_;
}

EditableClasses::Best EditableClasses::best_class(int32_t item) {
    costs_with(item);
    return cheapest_of_scan();
}

EditableClasses::Best EditableClasses::best_other(int32_t item) {
    costs_with(item);
    scan_[class_of_[item]] = kDead;
    return cheapest_of_scan();
}

EditableClasses::Best EditableClasses::cheapest_of_scan() const {
    Best best{-1, std::numeric_limits<int64_t>::max()};
    const size_t n = size_.size();
    for (size_t c = 0; c < n; ++c) {
        const int64_t added = scan_[c] + size_[c] * (scan_[c] - cost_[c]);
        if (added < best.added && scan_[c] != kDead) best = {static_cast<int32_t>(c), added};
    }
    return best;
}

EditableClasses::Best EditableClasses::best_among(int32_t item,
                                                  const std::vector<int32_t>& classes) const {
    Best best{-1, std::numeric_limits<int64_t>::max()};
    for (const int32_t c : classes) {
        if (size_[c] == 0) continue;
        const int32_t after = cost_with(c, item);
        const int64_t added = after + size_[c] * (after - cost_[c]);
        if (added < best.added) best = {c, added};
    }
    return best;
}

int32_t EditableClasses::cost_with(int32_t c, int32_t item) const {
    const int32_t* row = codes(item);
    int32_t cost = 0;
    for (size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        const int32_t first = first_[j * room_ + c];
        if (column.line) {
            const int32_t place = column.start[row[j]], last = last_[j * room_ + c];
            cost += std::min(std::max(last, place) - std::min(first, place), column.full);
        } else {
            cost += column.join_cost(first, row[j]);
        }
    }
    work_ += d_;
    return cost;
}

// The two lowest and the two highest codes of a class in each column tell what is left of it
// without any one record.
int32_t EditableClasses::cost_without(int32_t c, int32_t item) {
    std::vector<int32_t>& ends = ends_[c];
    if (ends.empty()) find_ends(c, ends);
    const int32_t* row = codes(item);
    int32_t cost = 0;
    for (size_t j = 0; j < d_; ++j) {
        const int32_t* of = ends.data() + 4 * j;
        cost +=
            columns_[j].span_cost(row[j] == of[0] ? of[1] : of[0], row[j] == of[3] ? of[2] : of[3]);
    }
    work_ += d_ * (members_[c].size() + fixed_[c].size());  // as if all others were looked at
    return cost;
}

void EditableClasses::find_ends(int32_t c, std::vector<int32_t>& ends) const {
    constexpr int32_t most = std::numeric_limits<int32_t>::max();
    for (size_t j = 0; j < d_; ++j) ends.insert(ends.end(), {most, most, -1, -1});
    const auto see = [&](int32_t item) {
        const int32_t* row = codes(item);
        for (size_t j = 0; j < d_; ++j) {
            int32_t* of = ends.data() + 4 * j;
            of[1] = std::min(of[1], std::max(of[0], row[j]));
            of[0] = std::min(of[0], row[j]);
            of[2] = std::max(of[2], std::min(of[3], row[j]));
            of[3] = std::max(of[3], row[j]);
        }
    };
    for (const int32_t item : members_[c]) see(item);
    for (const Fixed& each : fixed_[c]) see(each.item);
}
}  // namespace incrowd
