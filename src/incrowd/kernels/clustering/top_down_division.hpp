// How top_down_greedy divides one class in two.
#pragma once

#include <utility>
#include <vector>

#include "clustering/class_shapes.hpp"
#include "clustering/share.hpp"
#include "core/random.hpp"

namespace incrowd {

struct Whole {
    Shares items;  // in the order of their tuples
    std::int64_t records;
    std::uint64_t seed;
};

struct Division {
    std::vector<ShapeColumn> columns;
    std::vector<std::int32_t> rows;  // codes, tuple by tuple
    std::int64_t k;
    std::int64_t rounds;

    const std::int32_t* row(const Share& item) const {
        return rows.data() + static_cast<std::size_t>(item.tuple) * columns.size();
    }
};

// A class that grows, with its penalty after any record joined.
class GrowingClass {
  public:
    explicit GrowingClass(std::span<const ShapeColumn> columns)
        : columns_(columns),
          shape_(columns),
          by_code_(columns.size()),
          tabled_(columns.size()),
          cost_(columns.size()) {}

    // Begins with one tuple; `expected` is how many times `with` will be asked, about.
    void start(const std::int32_t* row, std::int64_t records, std::size_t expected);
    void join(const std::int32_t* row, std::int64_t records);

    // The penalty of one record of the class, if this one joined.
    double with(const std::int32_t* row) const {
        double total = 0.0;
        for (std::size_t j = 0; j < columns_.size(); ++j) total += with(j, row[j]);
        return total;
    }

    // What the penalty of the whole class would grow by.
    double increase(const std::int32_t* row, std::int64_t records) const {
        return static_cast<double>(records_ + records) * with(row) -
               static_cast<double>(records_) * total_;
    }

    std::int64_t records() const { return records_; }

  private:
    double with(std::size_t j, std::int32_t code) const {
        return tabled_[j] ? by_code_[j][code] : shape_.cost_with(j, code);
    }
    void refresh(std::size_t j);
    void add_up();

    std::span<const ShapeColumn> columns_;
    ClassShape shape_;
    std::vector<std::vector<double>> by_code_;
    std::vector<std::uint8_t> tabled_;
    std::vector<double> cost_;
    double total_ = 0.0;
    std::int64_t records_ = 0;
};

// Divides one class at a time; keeps nothing between them but room.
class Divider {
  public:
    explicit Divider(const Division& division)
        : division_(division),
          sides_{GrowingClass(division.columns), GrowingClass(division.columns)} {}

    // Whether the class has 2k records, and not all of them are alike.
    bool divisible(const Whole& whole) const;
    std::pair<Whole, Whole> divide(const Whole& whole);

  private:
    const std::int32_t* row(const Shares& items, std::size_t at) const {
        return division_.row(items[at]);
    }
    std::pair<std::size_t, std::size_t> far_pair(const Whole& whole, Random& random);
    std::pair<std::size_t, double> farthest(const Shares& items, std::size_t from);
    void deal(const Shares& items, std::size_t u, std::size_t v, Random& random);
    void borrow(const Shares& items, std::size_t small);
    std::pair<Whole, Whole> separated(const Whole& whole, std::size_t small) const;

    const Division& division_;
    GrowingClass sides_[2];
    std::vector<std::uint8_t> side_of_;
    std::vector<std::size_t> order_;
    std::vector<std::int64_t> borrowed_;
    std::vector<std::pair<double, std::size_t>> nearest_;
};

}  // namespace incrowd
