// What a class of records looks like, column by column, and what one more record would cost it.
//
// Three kinds of columns.  A tree: the class is the lowest node that covers its leaves.  A line:
// the smallest and the largest number.  A set: the distinct values.  Costs are doubles, added up
// column by column in the order of the columns and never contracted, so that they are the same on
// every machine.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct ShapeColumn {
    enum Kind : int32_t { kTree = 0, kLine = 1, kSet = 2 };

    Kind kind = kTree;
    int32_t n_codes = 0;
    // Tree: the node of each code; by node its parent (the root is its own), the codes [low, high)
    // under it, and its cost.
    std::vector<int32_t> node_of, parent, low, high;
    // Tree: cost by node.  Set: cost by number of distinct values, from 0 on.
    std::vector<double> cost;
    // Line: the place of each code, scaled so that a difference is a cost; NaN: not on the line.
    std::vector<double> place;
    // Line: the cost of a class that holds codes on the line and others, or different others.
    double mixed = 0.0;
};

// What classes look like and cost in all columns of a table.
struct Shapes {
    std::vector<ShapeColumn> columns;
};

// The shape of one class over all columns.  Empty until the first record joins.
class ClassShape {
  public:
    explicit ClassShape(std::span<const ShapeColumn> columns);

    void clear();
    bool empty() const { return empty_; }

    // Adds a record with this code in column j; every column must be told.
    void join(size_t j, int32_t code);
    void join_all(const int32_t* codes);
    // Adds all records of another class; neither is empty.
    void join(const ClassShape& other);
    // Cost of the class in column j, and over all columns.
    double cost(size_t j) const;
    double cost() const;
    // Cost of column j if a record with that code joined.
    double cost_with(size_t j, int32_t code) const;
    // The same for every code of the column at once.
    void costs_with(size_t j, double* by_code) const;
    // Cost of column j if all records of another class joined; neither is empty.
    double cost_with(size_t j, const ClassShape& other) const;

  private:
    struct State {
        int32_t a = -1;      // tree: node; line: code of the smallest; set: distinct values
        int32_t b = -1;      // line: code of the largest
        int32_t other = -1;  // line: a code that is not on the line; -2: several of them
        std::vector<uint64_t> members;  // set: one bit a code
    };

    double cost_of(size_t j, const State& state) const;

    std::span<const ShapeColumn> columns_;
    std::vector<State> states_;
    mutable std::vector<int32_t> chain_;  // room for `costs_with`
    bool empty_ = true;
};
}  // namespace incrowd
