#include "clustering/class_centres.hpp"

#include <algorithm>
#include <cmath>

namespace incrowd {

namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kSeveral = -2;

bool covers(const ShapeColumn& column, std::int32_t node, std::int32_t code) {
    return column.low[node] <= code && code < column.high[node];
}

}  // namespace

ClassCentres::ClassCentres(std::span<const ShapeColumn> columns, std::size_t classes)
    : columns_(columns), centres_(columns.size()), record_(columns.size()), distances_(classes) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
        Column& column = centres_[j];
        if (columns[j].kind == ShapeColumn::kTree) {
            column.node.assign(classes, kNone);
            column.cost_of_node.resize(columns[j].parent.size());
        } else if (columns[j].kind == ShapeColumn::kLine) {
            column.line.resize(classes);
        } else {
            column.values.assign(classes, ClassShape(columns.subspan(j, 1)));
        }
    }
}

void ClassCentres::look_at(const std::int32_t* codes) {
    std::copy_n(codes, columns_.size(), record_.begin());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const ShapeColumn& column = columns_[j];
        std::vector<double>& costs = centres_[j].cost_of_node;
        for (std::size_t node = costs.size(); node-- > 0;)  // parents before their children
            costs[node] = covers(column, static_cast<std::int32_t>(node), codes[j])
                              ? column.cost[node]
                              : costs[column.parent[node]];
    }
}

double ClassCentres::distance(std::size_t j, std::size_t at) const {
    const ShapeColumn& column = columns_[j];
    const Column& centre = centres_[j];
    const std::int32_t code = record_[j];
    if (column.kind == ShapeColumn::kTree) return centre.cost_of_node[centre.node[at]];
    if (column.kind == ShapeColumn::kSet) return centre.values[at].cost_with(0, code);
    const Line& line = centre.line[at];
    if (std::isnan(column.place[code]))
        return line.numbers == 0.0 && line.other == code ? 0.0 : column.mixed;
    return line.numbers == 0.0 ? column.mixed : std::abs(column.place[code] - line.mean);
}

double ClassCentres::distance_to(std::size_t at) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < columns_.size(); ++j) sum += distance(j, at);
    return sum;
}

std::span<const double> ClassCentres::distances() {
    std::fill(distances_.begin(), distances_.end(), 0.0);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (columns_[j].kind == ShapeColumn::kTree) {  // most columns are trees: a loop of its own
            const std::int32_t* nodes = centres_[j].node.data();
            const double* costs = centres_[j].cost_of_node.data();
            for (std::size_t at = 0; at < distances_.size(); ++at)
                distances_[at] += costs[nodes[at]];
        } else {
            for (std::size_t at = 0; at < distances_.size(); ++at)
                distances_[at] += distance(j, at);
        }
    }
    return distances_;
}

void ClassCentres::join(std::size_t at) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const ShapeColumn& column = columns_[j];
        const std::int32_t code = record_[j];
        if (column.kind == ShapeColumn::kTree) {
            std::int32_t& node = centres_[j].node[at];
            if (node == kNone) node = column.node_of[code];
            while (!covers(column, node, code)) node = column.parent[node];
        } else if (column.kind == ShapeColumn::kSet) {
            centres_[j].values[at].join(0, code);
        } else {
            Line& line = centres_[j].line[at];
            if (std::isnan(column.place[code])) {
                line.other = line.other == kNone || line.other == code ? code : kSeveral;
            } else {
                line.sum += column.place[code];
                line.numbers += 1.0;
                line.mean = line.sum / line.numbers;
            }
        }
    }
    distances_[at] = distance_to(at);
}

void ClassCentres::clear(std::size_t at) {
    for (Column& centre : centres_) {
        if (!centre.node.empty()) centre.node[at] = kNone;
        if (!centre.line.empty()) centre.line[at] = Line();
        if (!centre.values.empty()) centre.values[at].clear();
    }
}

}  // namespace incrowd
