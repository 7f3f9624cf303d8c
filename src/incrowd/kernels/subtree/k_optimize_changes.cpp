// What single items change in the pairs of a node: what the greedy start of K-Optimize goes by.
#include <algorithm>
#include <limits>

#include "subtree/k_optimize_nodes.hpp"

namespace incrowd {
namespace {
// Adds to a count, and returns by how much its square grows.
double added_square(int64_t& count, int64_t more) {
    const double before = double(count), after = double(count += more);
    return after * after - before * before;
}
}  // namespace

double SplitNodes::pairs(int64_t records, double squares, int64_t least) const {
    if (records < least) return double(table_.n_records) * double(records);
    return double(records) * double(records) - (by_target_ ? squares : 0);
}

const std::vector<double>& SplitNodes::changes(const SplitNode& node) {
    changes_.assign(items_.size(), 0);
    cell_records_.assign(cells(node), 0);
    total_[0].assign(node.classes[0], 0);
    total_squares_.assign(node.classes[0], 0);
    const Elements& elements = *node.elements;
    for (size_t i = 0; i < elements.size(); ++i) {
        const int32_t q = node.class_of[0][i];
        total_[0][q] += elements.records[i];
        total_squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
    }
    for (size_t j = 0; j < table_.columns(); ++j) {
        if (items_.of_column(j).empty()) continue;
        sort_by_place(elements, j);
        if (items_.nested(j)) {
            walk_nested_costs(node, j);
            continue;
        }
        walk_costs(node, j, false);
        walk_costs(node, j, true);
    }
    return changes_;
}

// Adds the pairs of the left sides of all divisions, or going backwards of the right ones.
void SplitNodes::walk_costs(const SplitNode& node, size_t column, bool backwards) {
    const Elements& elements = *node.elements;
    const int32_t* places = table_.column(column);
    const int64_t least = largest_;
    left_.assign(node.classes[0], 0);
    squares_.assign(node.classes[0], 0);
    last_.assign(node.classes[0], -1);
    std::ranges::fill(cell_records_, 0);
    diff_cost_.assign(table_.sizes[column] + 1, 0);
    for (size_t at = 0; at < order_.size(); ++at) {
        const int32_t i = backwards ? order_[order_.size() - 1 - at] : order_[at];
        const int32_t q = node.class_of[0][i], place = places[elements.tuple[i]];
        if (last_[q] >= 0 && last_[q] != place) {
            double cost = pairs(left_[q], squares_[q], least);
            if (!backwards) cost -= pairs(total_[0][q], total_squares_[q], least);
            diff_cost_[std::min(last_[q], place) + 1] += cost;
            diff_cost_[std::max(last_[q], place) + 1] -= cost;
        }
        left_[q] += elements.records[i];
        squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
        last_[q] = place;
    }
    double cost = 0;
    const std::vector<int32_t>& before = items_.before(column);
    for (int32_t place = 1; place < table_.sizes[column]; ++place) {
        cost += diff_cost_[place];
        if (before[place] >= 0) changes_[before[place]] += cost;
    }
    work_ += static_cast<int64_t>(elements.size()) + table_.sizes[column];
}

// Only items whose parent is made: their classes lie within the places that they tell apart.
void SplitNodes::walk_nested_costs(const SplitNode& node, size_t column) {
    in_head_.assign(items_.size(), 0);
    for (int32_t item : node.head) in_head_[item] = 1;
    left_.assign(node.classes[0], 0);
    squares_.assign(node.classes[0], 0);
    last_.assign(node.classes[0], -1);
    std::ranges::fill(cell_records_, 0);
    for (int32_t number : items_.of_column(column)) {
        const SplitItem& item = items_[number];
        const bool ready = item.parent < 0 || in_head_[item.parent];
        changes_[number] = ready && !in_head_[number] ? nested_cost(node, number)
                                                      : std::numeric_limits<double>::infinity();
    }
}

double SplitNodes::nested_cost(const SplitNode& node, int32_t number) {
    const Elements& elements = *node.elements;
    const SplitItem& item = items_[number];
    double cost = 0;
    for (size_t at = 0; at <= item.places.size(); ++at) {
        const auto piece = piece_of(item, at);
        for (int32_t i : piece) {
            const int32_t q = node.class_of[0][i];
            if (last_[q] != number) cost -= pairs(total_[0][q], total_squares_[q], largest_);
            last_[q] = number;
            left_[q] += elements.records[i];
            squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
        }
        for (int32_t i : piece) {
            const int32_t q = node.class_of[0][i];
            if (left_[q] > 0) cost += pairs(left_[q], squares_[q], largest_);
            left_[q] = 0;
            squares_[q] = 0;
            cell_records_[cell_[i]] = 0;
        }
        work_ += static_cast<int64_t>(piece.size()) + 1;
    }
    return cost;
}
}  // namespace incrowd
