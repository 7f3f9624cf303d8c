// The centres of many classes, and how far a record is from all of them.
//
// A centre is, column by column, the lowest node that covers the class (trees), the mean of its
// numbers (lines), or its values (sets).  A record is as far as the cost of the lowest node that
// covers both, as the number from the mean, or as the cost of the set with its value.
#pragma once

#include <span>
#include <vector>

#include "clustering/class_shapes.hpp"

namespace incrowd {

class ClassCentres {
  public:
    ClassCentres(std::span<const ShapeColumn> columns, std::size_t classes);

    std::size_t size() const { return distances_.size(); }
    // Turns to a record, given by one code per column.
    void look_at(const std::int32_t* codes);
    // From the record looked at to a centre.
    double distance_to(std::size_t at) const;
    // To all centres; kept until the next call, except for centres that the record joins.
    std::span<const double> distances();
    // Moves a centre for the record looked at.
    void join(std::size_t at);
    void clear(std::size_t at);

  private:
    struct Line {
        double sum = 0.0, numbers = 0.0, mean = 0.0;
        std::int32_t other = -1;  // a code that is not a number; -2: several of them
    };
    struct Column {
        std::vector<std::int32_t> node;    // tree, by class; -1: empty
        std::vector<double> cost_of_node;  // tree: cost of the node that covers it and the record
        std::vector<Line> line;            // line, by class
        std::vector<ClassShape> values;    // set, by class
    };

    double distance(std::size_t j, std::size_t at) const;

    std::span<const ShapeColumn> columns_;
    std::vector<Column> centres_;
    std::vector<std::int32_t> record_;
    std::vector<double> distances_;
};

}  // namespace incrowd
