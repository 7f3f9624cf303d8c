// The tuple with the least sum of one number per column, found without looking at most of them.
//
// Tuples are sorted by their codes, so neighbours share leading columns.  A walk over them keeps
// the sums of the leading columns, and where those and the least that the other columns can add
// exceed the best sum so far, it skips all tuples that share these columns.  Numbers must be such
// that their sums are exact (see `exact`), or the bounds would not hold to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/ties.hpp"
#include "core/tuples.hpp"

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
    static constexpr size_t kNone = std::numeric_limits<size_t>::max();

    // Takes the tuples [start, stop) of a table of d columns.
    TupleWalk(const Tuples& tuples, size_t d, size_t start, size_t stop)
        : d_(d), codes_((stop - start) * d),
          left_(tuples.records.begin() + start, tuples.records.begin() + stop), sums_(d + 1) {
        for (size_t i = start; i < stop; ++i) {
            tuple_.push_back(static_cast<int32_t>(i));
            for (size_t j = 0; j < d; ++j) codes_[(i - start) * d + j] = tuples.code(j, i);
        }
        link();
    }

    // The place of the tuple with the least sum, of equal ones the first.  `near`: a place around
    // which small sums are likely, or none.
    size_t least(const CostTables& tables, size_t near) {
        const size_t n = left_.size();
        double best = std::numeric_limits<double>::infinity();
        size_t best_at = kNone;
        if (near != kNone)
            for (size_t i = near - std::min(near, kWindow); i < std::min(n, near + kWindow); ++i) {
                if (left_[i] == 0) continue;
                const double sum = sum_at(tables, i);
                if (sum < best - kTie) best = sum, best_at = i;
            }
        size_t level = 0;  // so many of `sums_` hold for the place before
        for (size_t i = pass_dead(0, level); i < n; i = pass_dead(i, level)) {
            if (best - kTie <= tables.rest[0] && best_at < i) break;
            double sum = sums_[level];
            size_t j = level;
            for (; j < d_; ++j) {
                sum += tables.by_code[j][codes_[i * d_ + j]];
                const double least = sum + tables.rest[j + 1];
                if (least > best + kTie || (least >= best - kTie && i > best_at)) break;
                sums_[j + 1] = sum;
            }
            level = j;
            if (j == d_) best = std::min(best, sum), best_at = i, --j;
            i = static_cast<size_t>(skip_[i * d_ + j]);
            level = std::min(level, static_cast<size_t>(differs_[i]));
        }
        return best_at;
    }

    const int32_t* codes_at(size_t place) const { return &codes_[place * d_]; }
    int32_t tuple_at(size_t place) const { return tuple_[place]; }
    int64_t left_at(size_t place) const { return left_[place]; }
    size_t places() const { return left_.size(); }

    void take(size_t place, int64_t count) {
        left_[place] -= count;
        dead_ += left_[place] == 0;
    }

    // Forgets tuples without records once they are many.  Places change.
    void compact() {
        if (dead_ * 2 < left_.size()) return;
        size_t kept = 0;
        for (size_t i = 0; i < left_.size(); ++i) {
            if (left_[i] == 0) continue;
            left_[kept] = left_[i];
            tuple_[kept] = tuple_[i];
            std::copy_n(codes_.begin() + i * d_, d_, codes_.begin() + kept * d_);
            ++kept;
        }
        left_.resize(kept);
        tuple_.resize(kept);
        codes_.resize(kept * d_);
        dead_ = 0;
        link();
    }

  private:
    static constexpr size_t kWindow = 8;  // neighbours looked at before the walk

    // The first place with records from `place` on; `level` falls to what all places passed share.
    size_t pass_dead(size_t place, size_t& level) {
        while (place < left_.size() && left_[place] == 0) {
            const auto to = static_cast<size_t>(jump_[place]);
            if (to < left_.size() && left_[to] == 0) {  // halve the way for whoever comes next
                shared_[place] = std::min(shared_[place], shared_[to]);
                jump_[place] = jump_[to];
            }
            level = std::min(level, static_cast<size_t>(shared_[place]));
            place = static_cast<size_t>(jump_[place]);
        }
        return place;
    }

    void link() {
        const size_t n = left_.size();
        const auto end = static_cast<int32_t>(n);
        differs_.assign(n + 1, 0);
        for (size_t i = 1; i < n; ++i)
            differs_[i] = static_cast<int32_t>(
                std::mismatch(codes_at(i), codes_at(i) + d_, codes_at(i - 1)).first - codes_at(i));
        skip_.assign((n + 1) * d_, end);
        jump_.resize(n);
        shared_.resize(n);
        for (size_t i = n; i-- > 0;) {
            jump_[i] = static_cast<int32_t>(i + 1);
            shared_[i] = differs_[i + 1];
            for (size_t j = 0; j < d_; ++j)
                skip_[i * d_ + j] =
                    differs_[i + 1] <= static_cast<int32_t>(j) ? jump_[i] : skip_[(i + 1) * d_ + j];
        }
    }

    double sum_at(const CostTables& tables, size_t place) const {
        double sum = 0.0;
        for (size_t j = 0; j < d_; ++j) sum += tables.by_code[j][codes_[place * d_ + j]];
        return sum;
    }

    size_t d_;
    size_t dead_ = 0;
    std::vector<int32_t> codes_;  // tuple by tuple
    std::vector<int32_t> tuple_;
    std::vector<int64_t> left_;
    // By place: the first column in which it differs from the one before.
    std::vector<int32_t> differs_;
    // By place and column j: the next place that differs in one of the columns up to j.
    std::vector<int32_t> skip_;
    // By place, if it is dead: a later place before which all are dead, and how many leading
    // columns all places on the way share.
    std::vector<int32_t> jump_, shared_;
    std::vector<double> sums_;  // of the leading columns
};
}  // namespace incrowd
