// The centres of many classes, and how far a record is from all of them.
//
// A centre is, column by column, the lowest node that covers the class (trees), the mean of its
// numbers (lines), or its values (sets).  A record is as far as the cost of the lowest node that
// covers both, as the number from the mean, or as the cost of the set with its value.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "clustering/class_shapes.hpp"

namespace incrowd {
class ClassCentres {
  public:
    ClassCentres(std::span<const ShapeColumn> columns, size_t classes)
        : columns_(columns), centres_(columns.size()), record_(columns.size()),
          distances_(classes) {
        for (size_t j = 0; j < columns.size(); ++j) {
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

    // Turns to a record, given by one code per column.
    void look_at(const int32_t* codes) {
        std::copy_n(codes, columns_.size(), record_.begin());
        for (size_t j = 0; j < columns_.size(); ++j) {
            const ShapeColumn& column = columns_[j];
            std::vector<double>& costs = centres_[j].cost_of_node;
            for (size_t node = costs.size(); node-- > 0;)  // parents before their children
                costs[node] = covers(column, static_cast<int32_t>(node), codes[j])
                                  ? column.cost[node]
                                  : costs[column.parent[node]];
        }
    }

    // From the record looked at to a centre.
    double distance_to(size_t at) const {
        double sum = 0.0;
        for (size_t j = 0; j < columns_.size(); ++j) sum += distance(j, at);
        return sum;
    }

    // To all centres; kept until the next call, except for centres that the record joins.
    std::span<const double> distances() {
        std::ranges::fill(distances_, 0.0);
        for (size_t j = 0; j < columns_.size(); ++j) {
            if (columns_[j].kind == ShapeColumn::kTree) {  // most are trees: a loop of its own
                const int32_t* nodes = centres_[j].node.data();
                const double* costs = centres_[j].cost_of_node.data();
                for (size_t at = 0; at < distances_.size(); ++at)
                    distances_[at] += costs[nodes[at]];
            } else {
                for (size_t at = 0; at < distances_.size(); ++at) distances_[at] += distance(j, at);
            }
        }
        return distances_;
    }

    // Moves a centre for the record looked at.
    void join(size_t at) {
        for (size_t j = 0; j < columns_.size(); ++j) {
            const ShapeColumn& column = columns_[j];
            const int32_t code = record_[j];
            if (column.kind == ShapeColumn::kTree) {
                int32_t& node = centres_[j].node[at];
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

    void clear(size_t at) {
        for (Column& centre : centres_) {
            if (!centre.node.empty()) centre.node[at] = kNone;
            if (!centre.line.empty()) centre.line[at] = Line();
            if (!centre.values.empty()) centre.values[at].clear();
        }
    }

  private:
    static constexpr int32_t kNone = -1, kSeveral = -2;

    static bool covers(const ShapeColumn& column, int32_t node, int32_t code) {
        return column.low[node] <= code && code < column.high[node];
    }

    struct Line {
        double sum = 0.0, numbers = 0.0, mean = 0.0;
        int32_t other = -1;  // a code that is not a number; -2: several of them
    };
    struct Column {
        std::vector<int32_t> node;         // tree, by class; -1: empty
        std::vector<double> cost_of_node;  // tree: cost of the node that covers it and the record
        std::vector<Line> line;            // line, by class
        std::vector<ClassShape> values;    // set, by class
    };

    double distance(size_t j, size_t at) const {
        const ShapeColumn& column = columns_[j];
        const Column& centre = centres_[j];
        const int32_t code = record_[j];
        if (column.kind == ShapeColumn::kTree) return centre.cost_of_node[centre.node[at]];
        if (column.kind == ShapeColumn::kSet) return centre.values[at].cost_with(0, code);
        const Line& line = centre.line[at];
        if (std::isnan(column.place[code]))
            return line.numbers == 0.0 && line.other == code ? 0.0 : column.mixed;
        return line.numbers == 0.0 ? column.mixed : std::abs(column.place[code] - line.mean);
    }

    std::span<const ShapeColumn> columns_;
    std::vector<Column> centres_;
    std::vector<int32_t> record_;
    std::vector<double> distances_;
};
}  // namespace incrowd
