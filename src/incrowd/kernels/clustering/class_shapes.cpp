#include "clustering/class_shapes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace incrowd {
namespace {
constexpr int32_t kNone = -1;
constexpr int32_t kSeveral = -2;

int32_t lowest_common(const ShapeColumn& column, int32_t node, int32_t code) {
    while (code < column.low[node] || code >= column.high[node]) node = column.parent[node];
    return node;
}

// Of two nodes: the lowest that covers both.
int32_t common_node(const ShapeColumn& column, int32_t one, int32_t other) {
    while (column.low[other] < column.low[one] || column.high[other] > column.high[one])
        one = column.parent[one];
    return one;
}

// Of two codes on a line, or none: the one whose place is smaller, or larger.
int32_t outer(const ShapeColumn& column, int32_t one, int32_t other, bool larger) {
    if (one == kNone || other == kNone) return std::max(one, other);
    return (column.place[one] < column.place[other]) == larger ? other : one;
}

// Of two codes that are not on the line, or none, or several.
int32_t both_others(int32_t one, int32_t other) {
    if (one == kNone || other == kNone) return one == kNone ? other : one;
    return one == other ? one : kSeveral;
}
}  // namespace

ClassShape::ClassShape(std::span<const ShapeColumn> columns)
    : columns_(columns), states_(columns.size()) {
    clear();
}

void ClassShape::clear() {
    empty_ = true;
    for (size_t j = 0; j < states_.size(); ++j) {
        State& state = states_[j];
        state.a = columns_[j].kind == ShapeColumn::kSet ? 0 : kNone;
        state.b = state.other = kNone;
        if (columns_[j].kind == ShapeColumn::kSet)
            state.members.assign(static_cast<size_t>(columns_[j].n_codes) / 64 + 1, 0);
    }
}

void ClassShape::join(size_t j, int32_t code) {
    const ShapeColumn& column = columns_[j];
    State& state = states_[j];
    empty_ = false;
    if (column.kind == ShapeColumn::kTree) {
        state.a = state.a == kNone ? column.node_of[code] : lowest_common(column, state.a, code);
    } else if (column.kind == ShapeColumn::kSet) {
        uint64_t& word = state.members[static_cast<size_t>(code) / 64];
        const uint64_t bit = uint64_t{1} << (static_cast<unsigned>(code) % 64);
        state.a += (word & bit) == 0;
        word |= bit;
    } else if (std::isnan(column.place[code])) {
        state.other = state.other == kNone || state.other == code ? code : kSeveral;
    } else {
        if (state.a == kNone || column.place[code] < column.place[state.a]) state.a = code;
        if (state.b == kNone || column.place[code] > column.place[state.b]) state.b = code;
    }
}

void ClassShape::join_all(const int32_t* codes) {
    for (size_t j = 0; j < columns_.size(); ++j) join(j, codes[j]);
}

void ClassShape::join(const ClassShape& other) {
    for (size_t j = 0; j < columns_.size(); ++j) {
        const ShapeColumn& column = columns_[j];
        State& state = states_[j];
        const State& more = other.states_[j];
        if (column.kind == ShapeColumn::kTree) {
            state.a = common_node(column, state.a, more.a);
        } else if (column.kind == ShapeColumn::kSet) {
            state.a = 0;
            for (size_t word = 0; word < state.members.size(); ++word)
                state.a += std::popcount(state.members[word] |= more.members[word]);
        } else {
            state.a = outer(column, state.a, more.a, false);
            state.b = outer(column, state.b, more.b, true);
            state.other = both_others(state.other, more.other);
        }
    }
}

double ClassShape::cost(size_t j) const { return cost_of(j, states_[j]); }

double ClassShape::cost_with(size_t j, const ClassShape& other) const {
    const ShapeColumn& column = columns_[j];
    const State &state = states_[j], &more = other.states_[j];
    if (column.kind == ShapeColumn::kTree) return column.cost[common_node(column, state.a, more.a)];
    if (column.kind == ShapeColumn::kSet) {
        int32_t distinct = 0;
        for (size_t word = 0; word < state.members.size(); ++word)
            distinct += std::popcount(state.members[word] | more.members[word]);
        return column.cost[distinct];
    }
    return cost_of(j, {outer(column, state.a, more.a, false),
                       outer(column, state.b, more.b, true),
                       both_others(state.other, more.other),
                       {}});
}

double ClassShape::cost_of(size_t j, const State& state) const {
    const ShapeColumn& column = columns_[j];
    if (column.kind == ShapeColumn::kSet) return column.cost[state.a];
    if (column.kind == ShapeColumn::kTree) return state.a == kNone ? 0.0 : column.cost[state.a];
    if (state.a == kNone) return state.other == kSeveral ? column.mixed : 0.0;
    return state.other != kNone ? column.mixed : column.place[state.b] - column.place[state.a];
}

double ClassShape::cost() const {
    double total = 0.0;
    for (size_t j = 0; j < columns_.size(); ++j) total += cost(j);
    return total;
}

double ClassShape::cost_with(size_t j, int32_t code) const {
    const ShapeColumn& column = columns_[j];
    const State& state = states_[j];
    if (column.kind == ShapeColumn::kTree)
        return column
            .cost[state.a == kNone ? column.node_of[code] : lowest_common(column, state.a, code)];
    if (column.kind == ShapeColumn::kSet) {
        const uint64_t word = state.members[static_cast<size_t>(code) / 64];
        return column.cost[state.a + ((word >> (static_cast<unsigned>(code) % 64) & 1) == 0)];
    }
    if (std::isnan(column.place[code])) {
        const bool alone = state.a == kNone && (state.other == kNone || state.other == code);
        return alone ? 0.0 : column.mixed;
    }
    if (state.other != kNone) return column.mixed;
    if (state.a == kNone) return 0.0;
    return std::max(column.place[state.b], column.place[code]) -
           std::min(column.place[state.a], column.place[code]);
}

void ClassShape::costs_with(size_t j, double* by_code) const {
    const ShapeColumn& column = columns_[j];
    if (column.kind != ShapeColumn::kTree || states_[j].a == kNone) {
        for (int32_t code = 0; code < column.n_codes; ++code) by_code[code] = cost_with(j, code);
        return;
    }
    // From the root down to the class's own node, each node overwrites its share of the codes.
    chain_.clear();
    int32_t node = states_[j].a;
    for (; column.parent[node] != node; node = column.parent[node]) chain_.push_back(node);
    std::fill_n(by_code, column.n_codes, column.cost[node]);
    for (size_t at = chain_.size(); at-- > 0;)
        std::fill(by_code + column.low[chain_[at]], by_code + column.high[chain_[at]],
                  column.cost[chain_[at]]);
}
}  // namespace incrowd
