#include "clustering/fixed_columns.hpp"

#include <cmath>
#include <stdexcept>

namespace incrowd {
namespace {
constexpr size_t kLargestTable = 1 << 20;

int32_t fixed(double cost, double unit) { return static_cast<int32_t>(std::llround(cost * unit)); }

void fill_tree(FixedColumn& column, const ShapeColumn& given, double unit) {
    column.start = given.node_of;
    column.parent = given.parent;
    column.low = given.low;
    column.high = given.high;
    column.n_nodes = static_cast<int32_t>(given.parent.size());
    for (const double cost : given.cost) column.cost.push_back(fixed(cost, unit));
    const size_t cells = static_cast<size_t>(column.n_codes) * given.parent.size();
    if (cells > kLargestTable || given.parent.size() > 65535) return;
    column.joined.resize(cells);
    column.joined_cost.resize(cells);
    for (int32_t code = 0; code < column.n_codes; ++code)
        for (int32_t node = 0; node < column.n_nodes; ++node) {
            const int32_t common = column.climb(node, code);
            const size_t at = static_cast<size_t>(code) * column.n_nodes + node;
            column.joined[at] = static_cast<uint16_t>(common);
            column.joined_cost[at] = column.cost[common];
        }
}

void fill_line(FixedColumn& column, const ShapeColumn& given, double unit) {
    column.line = true;
    column.full = fixed(given.mixed, unit);
    int32_t beyond = 0;
    for (const double place : given.place) {
        // What is no number lies so far away from everything else that it costs the whole line.
        if (std::isnan(place)) column.start.push_back(3 * column.full * ++beyond);
        else column.start.push_back(fixed(place, unit));
    }
}
}  // namespace

std::vector<FixedColumn> fixed_columns(std::span<const ShapeColumn> columns) {
    double most = 0.0;
    for (const ShapeColumn& given : columns) {
        if (given.kind == ShapeColumn::kSet)
            throw std::invalid_argument("fixed columns: sets are searched as trees or lines");
        most +=
            given.kind == ShapeColumn::kLine ? given.mixed : *std::ranges::max_element(given.cost);
    }
    const double unit = most > 0.0 ? kCostUnit / most : 0.0;
    std::vector<FixedColumn> made;
    for (const ShapeColumn& given : columns) {
        FixedColumn column;
        column.n_codes = given.n_codes;
        if (given.kind == ShapeColumn::kLine) fill_line(column, given, unit);
        else fill_tree(column, given, unit);
        made.push_back(std::move(column));
    }
    return made;
}
}  // namespace incrowd
