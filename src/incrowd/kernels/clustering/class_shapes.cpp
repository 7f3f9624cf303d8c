#include "clustering/class_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace incrowd {

namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kSeveral = -2;

std::int32_t lowest_common(const ShapeColumn& column, std::int32_t node, std::int32_t code) {
    while (code < column.low[node] || code >= column.high[node]) node = column.parent[node];
    return node;
}

template <typename T>
std::vector<T> copied(nb::handle array) {
    const auto values = nb::cast<In<T, 1>>(array);
    return {values.data(), values.data() + values.size()};
}

void check(const ShapeColumn& column) {
    const auto nodes = static_cast<std::int32_t>(column.parent.size());
    if (column.kind == ShapeColumn::kTree) {
        bool sound = nodes > 0 && column.low.size() == column.parent.size() &&
                     column.high.size() == column.parent.size() &&
                     column.cost.size() == column.parent.size();
        for (std::int32_t node = 0; sound && node < nodes; ++node)
            sound = column.parent[node] >= node && column.parent[node] < nodes;
        for (const std::int32_t node : column.node_of) sound = sound && node >= 0 && node < nodes;
        if (!sound || column.low.back() > 0 || column.high.back() < column.n_codes)
            throw std::invalid_argument("class shapes: a tree is damaged");
    }
    if (column.kind == ShapeColumn::kSet &&
        column.cost.size() <= static_cast<std::size_t>(column.n_codes))
        throw std::invalid_argument("class shapes: a set has too few costs");
}

}  // namespace

ClassShape::ClassShape(std::span<const ShapeColumn> columns)
    : columns_(columns), states_(columns.size()) {
    clear();
}

void ClassShape::clear() {
    empty_ = true;
    for (std::size_t j = 0; j < states_.size(); ++j) {
        State& state = states_[j];
        state.a = columns_[j].kind == ShapeColumn::kSet ? 0 : kNone;
        state.b = state.other = kNone;
        if (columns_[j].kind == ShapeColumn::kSet)
            state.members.assign(static_cast<std::size_t>(columns_[j].n_codes) / 64 + 1, 0);
    }
}

void ClassShape::join(std::size_t j, std::int32_t code) {
    const ShapeColumn& column = columns_[j];
    State& state = states_[j];
    empty_ = false;
    if (column.kind == ShapeColumn::kTree) {
        state.a = state.a == kNone ? column.node_of[code] : lowest_common(column, state.a, code);
    } else if (column.kind == ShapeColumn::kSet) {
        std::uint64_t& word = state.members[static_cast<std::size_t>(code) / 64];
        const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(code) % 64);
        state.a += (word & bit) == 0;
        word |= bit;
    } else if (std::isnan(column.place[code])) {
        state.other = state.other == kNone || state.other == code ? code : kSeveral;
    } else {
        if (state.a == kNone || column.place[code] < column.place[state.a]) state.a = code;
        if (state.b == kNone || column.place[code] > column.place[state.b]) state.b = code;
    }
}

void ClassShape::join_all(const std::int32_t* codes) {
    for (std::size_t j = 0; j < columns_.size(); ++j) join(j, codes[j]);
}

double ClassShape::cost(std::size_t j) const {
    const ShapeColumn& column = columns_[j];
    const State& state = states_[j];
    if (column.kind == ShapeColumn::kSet) return column.cost[state.a];
    if (column.kind == ShapeColumn::kTree) return state.a == kNone ? 0.0 : column.cost[state.a];
    if (state.a == kNone) return state.other == kSeveral ? column.mixed : 0.0;
    return state.other != kNone ? column.mixed : column.place[state.b] - column.place[state.a];
}

double ClassShape::cost() const {
    double total = 0.0;
    for (std::size_t j = 0; j < columns_.size(); ++j) total += cost(j);
    return total;
}

double ClassShape::cost_with(std::size_t j, std::int32_t code) const {
    const ShapeColumn& column = columns_[j];
    const State& state = states_[j];
    if (column.kind == ShapeColumn::kTree)
        return column
            .cost[state.a == kNone ? column.node_of[code] : lowest_common(column, state.a, code)];
    if (column.kind == ShapeColumn::kSet) {
        const std::uint64_t word = state.members[static_cast<std::size_t>(code) / 64];
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

void ClassShape::costs_with(std::size_t j, double* by_code) const {
    const ShapeColumn& column = columns_[j];
    if (column.kind != ShapeColumn::kTree || states_[j].a == kNone) {
        for (std::int32_t code = 0; code < column.n_codes; ++code)
            by_code[code] = cost_with(j, code);
        return;
    }
    // From the root down to the class's own node, each node overwrites its share of the codes.
    chain_.clear();
    std::int32_t node = states_[j].a;
    for (; column.parent[node] != node; node = column.parent[node]) chain_.push_back(node);
    std::fill_n(by_code, column.n_codes, column.cost[node]);
    for (std::size_t at = chain_.size(); at-- > 0;)
        std::fill(by_code + column.low[chain_[at]], by_code + column.high[chain_[at]],
                  column.cost[chain_[at]]);
}

std::vector<ShapeColumn> shape_columns(nb::list columns) {
    std::vector<ShapeColumn> read;
    for (nb::handle each : columns) {
        const auto given = nb::cast<nb::tuple>(each);
        ShapeColumn column;
        column.kind = static_cast<ShapeColumn::Kind>(nb::cast<std::int32_t>(given[0]));
        column.n_codes = nb::cast<std::int32_t>(given[1]);
        if (column.kind == ShapeColumn::kTree) {
            column.node_of = copied<std::int32_t>(given[2]);
            column.parent = copied<std::int32_t>(given[3]);
            column.low = copied<std::int32_t>(given[4]);
            column.high = copied<std::int32_t>(given[5]);
            column.cost = copied<double>(given[6]);
        } else if (column.kind == ShapeColumn::kLine) {
            column.place = copied<double>(given[2]);
            column.mixed = nb::cast<double>(given[3]);
        } else if (column.kind == ShapeColumn::kSet) {
            column.cost = copied<double>(given[2]);
        } else {
            throw std::invalid_argument("class shapes: no such kind of column");
        }
        const std::size_t listed = column.kind == ShapeColumn::kTree   ? column.node_of.size()
                                   : column.kind == ShapeColumn::kLine ? column.place.size()
                                                                       : column.cost.size() - 1;
        if (column.n_codes < 0 || listed < static_cast<std::size_t>(column.n_codes))
            throw std::invalid_argument("class shapes: a column does not list all its codes");
        check(column);
        read.push_back(std::move(column));
    }
    return read;
}

void check_codes(std::span<const ShapeColumn> columns, std::span<const std::int32_t> codes,
                 std::size_t n) {
    if (codes.size() != columns.size() * n)
        throw std::invalid_argument("class shapes: one row of codes per column is needed");
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t i = 0; i < n; ++i)
            if (codes[j * n + i] < 0 || codes[j * n + i] >= columns[j].n_codes)
                throw std::invalid_argument("class shapes: a code is out of range");
}

}  // namespace incrowd
