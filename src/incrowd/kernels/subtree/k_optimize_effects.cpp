// What further items must cost a node at least: the bounds that K-Optimize prunes by.
#include <algorithm>

#include "subtree/k_optimize_nodes.hpp"

namespace incrowd {
const Effects& SplitNodes::effects(const SplitNode& node) {
    const Elements& elements = *node.elements;
    effects_.cost.assign(items_.size(), 0);
    effects_.fallen.assign(items_.size(), 0);
    effects_.divided.assign(items_.size(), 0);
    for (size_t r = 0; r < table_.demands.size(); ++r) {
        total_[r].assign(node.classes[r], 0);
        total_floor_[r].assign(node.classes[r], 0);
        for (size_t i = 0; i < elements.size(); ++i) {
            total_[r][node.class_of[r][i]] += elements.records[i];
            total_floor_[r][node.class_of[r][i]] += elements.floor[i];
        }
    }
    std::vector<uint8_t> asked(table_.columns(), 0);
    in_tail_.assign(items_.size(), 0);
    for (int32_t item : node.tail) asked[items_[item].column] = in_tail_[item] = 1;
    for (size_t j = 0; j < table_.columns(); ++j) {
        if (!asked[j]) continue;
        sort_by_place(elements, j);
        for (size_t r = 0; r < table_.demands.size(); ++r)
            if (covers_[r][j]) items_.nested(j) ? walk_nested(node, j, r) : walk(node, j, r);
    }
    return effects_;
}

// Goes through the places of a column from left to right.  Between two neighbouring places of a
// class every split divides it alike.
void SplitNodes::walk(const SplitNode& node, size_t column, size_t demand) {
    const Elements& elements = *node.elements;
    const int32_t* places = table_.column(column);
    const int64_t least = table_.demands[demand].size;
    const double each = suppressed_cost();
    const size_t n_classes = node.classes[demand], n_places = table_.sizes[column];
    left_.assign(n_classes, 0);
    left_floor_.assign(n_classes, 0);
    last_.assign(n_classes, -1);
    diff_cost_.assign(n_places + 1, 0);
    diff_fallen_.assign(n_places + 1, 0);
    diff_divided_.assign(n_places + 1, 0);
    for (int32_t i : order_) {
        const int32_t q = node.class_of[demand][i], place = places[elements.tuple[i]];
        if (last_[q] >= 0 && last_[q] < place) {
            const int64_t left = left_[q], right = total_[demand][q] - left;
            double cost = 0;
            int64_t fallen = 0;
            if (left < least) cost += each * double(left) - left_floor_[q], fallen += left;
            if (right < least) {
                cost += each * double(right) - (total_floor_[demand][q] - left_floor_[q]);
                fallen += right;
            }
            const int32_t from = last_[q] + 1, to = place + 1;
            diff_cost_[from] += cost, diff_cost_[to] -= cost;
            diff_fallen_[from] += fallen, diff_fallen_[to] -= fallen;
            ++diff_divided_[from], --diff_divided_[to];
        }
        left_[q] += elements.records[i];
        left_floor_[q] += elements.floor[i];
        last_[q] = place;
    }
    double cost = 0;
    int64_t fallen = 0;
    int32_t divided = 0;
    const std::vector<int32_t>& before = items_.before(column);
    for (size_t place = 1; place < n_places; ++place) {
        cost += diff_cost_[place];
        fallen += diff_fallen_[place];
        divided += diff_divided_[place];
        const int32_t item = before[place];
        if (item < 0) continue;
        // Of several demands each alone is a bound.
        effects_.cost[item] = std::max(effects_.cost[item], cost);
        effects_.fallen[item] = std::max(effects_.fallen[item], fallen);
        effects_.divided[item] += divided;
    }
    work_ += static_cast<int64_t>(elements.size() + n_places);
}

// What an item does with those it asks for is what it does itself, and what they do to all but the
// places in which it lies.
void SplitNodes::walk_nested(const SplitNode& node, size_t column, size_t demand) {
    pieces_.assign(node.classes[demand], Pieces{});
    falls_.resize(items_.size());
    for (int32_t number : items_.of_column(column)) {
        if (!in_tail_[number]) continue;
        const SplitItem& item = items_[number];
        const bool above = item.parent >= 0 && in_tail_[item.parent];
        Fall fall = above ? falls_[item.parent] : Fall{table_.demands[demand].size};
        const int32_t divided = add_pieces(node, item, demand, fall);
        falls_[number] = fall;
        effects_.cost[number] =
            std::max(effects_.cost[number], suppressed_cost() * double(fall.records) - fall.floor);
        effects_.fallen[number] = std::max(effects_.fallen[number], fall.records);
        effects_.divided[number] += divided;
    }
}

// Adds what is too small between two splits of an item, but not what was so without them; returns
// how many classes the item divides.
int32_t SplitNodes::add_pieces(const SplitNode& node, const SplitItem& item, size_t demand,
                               Fall& fall) {
    const Elements& elements = *node.elements;
    const std::vector<int32_t>& class_of = node.class_of[demand];
    touched_.clear();
    for (size_t at = 0; at <= item.places.size(); ++at) {
        const auto piece = piece_of(item, at);
        for (int32_t i : piece) {
            Pieces& of = pieces_[class_of[i]];
            if (of.here == 0 && of.count++ == 0) touched_.push_back(class_of[i]);
            of.here += elements.records[i];
            of.here_floor += elements.floor[i];
        }
        for (int32_t i : piece) {
            Pieces& of = pieces_[class_of[i]];
            fall.add(of.here, of.here_floor, 1);
            of.all += of.here;
            of.all_floor += of.here_floor;
            of.here = 0;
            of.here_floor = 0;
        }
        work_ += static_cast<int64_t>(piece.size()) + 1;
    }
    int32_t divided = 0;
    for (int32_t q : touched_) {
        fall.add(pieces_[q].all, pieces_[q].all_floor, -1);
        divided += pieces_[q].count > 1;
        pieces_[q] = Pieces{};
    }
    return divided;
}
}  // namespace incrowd
