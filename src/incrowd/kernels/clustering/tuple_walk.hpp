// The tuple with the least sum of one number per column, found without looking at most of them.
//
// Tuples are sorted by their codes, so neighbours share leading columns.  A walk over them keeps
// the sums of the leading columns, and where those and the least that the other columns can add
// exceed the best sum so far, it skips all tuples that share these columns.  Numbers must be such
// that their sums are exact (see `exact`), or the bounds would not hold to the last bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace incrowd {

// Multiples of 2^-48: up to 2^4 they add up without rounding, in any order.  Sums that are equal
// before costs are rounded differ by far less than `kTie` afterwards.
inline double exact(double cost) { return std::nearbyint(cost * 0x1p48) * 0x1p-48; }
constexpr double kLargestSum = 16.0;

// One number by column and code, and the least that the columns from j on add up to.
struct CostTables {
    std::vector<std::vector<double>> by_code;
    std::vector<double> rest;
};

// Tuples that still have records.
class TupleWalk {
  public:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    // Takes the tuples [start, stop) of a (d, n) array of codes.
    TupleWalk(const std::int32_t* codes, const std::int64_t* records, std::size_t d, std::size_t n,
              std::size_t start, std::size_t stop);

    // The place of the tuple with the least sum, of equal ones the first.  `near`: a place around
    // which small sums are likely, or none.
    std::size_t least(const CostTables& tables, std::size_t near);

    const std::int32_t* codes_at(std::size_t place) const { return &codes_[place * d_]; }
    std::int32_t tuple_at(std::size_t place) const { return tuple_[place]; }
    std::int64_t left_at(std::size_t place) const { return left_[place]; }
    std::size_t places() const { return left_.size(); }
    void take(std::size_t place, std::int64_t count);
    // Forgets tuples without records once they are many.  Places change.
    void compact();

  private:
    std::size_t pass_dead(std::size_t place, std::size_t& level);
    void link();
    double sum_at(const CostTables& tables, std::size_t place) const;

    std::size_t d_;
    std::size_t dead_ = 0;
    std::vector<std::int32_t> codes_;  // tuple by tuple
    std::vector<std::int32_t> tuple_;
    std::vector<std::int64_t> left_;
    // By place: the first column in which it differs from the one before.
    std::vector<std::int32_t> differs_;
    // By place and column j: the next place that differs in one of the columns up to j.
    std::vector<std::int32_t> skip_;
    // By place, if it is dead: a later place before which all are dead, and how many leading
    // columns all places on the way share.
    std::vector<std::int32_t> jump_, shared_;
    std::vector<double> sums_;  // of the leading columns
};

}  // namespace incrowd
