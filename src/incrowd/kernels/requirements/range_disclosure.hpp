// Range disclosure: how likely a value of a class is guessed within a range, its S-diversity.
//
// The sum over all ordered pairs of records, each with itself too, of how much one helps to guess
// the other, over the square of their number.  Loukides and Shao, PAIS 2008, definition 2.4.
#pragma once

#include "requirements/shares.hpp"

namespace incrowd {
// Numbers: a pair contributes 1 - distance / range of the table's numbers, if the distance is at
// most `width` of that range.
class NumberDisclosure final : public FormOf<NumberDisclosure> {
  public:
    // `place` is by value: the number, times a common factor that makes all of them whole;
    // `unplaced` are values that are none, and help to guess only themselves.
    NumberDisclosure(Fraction most, Fraction width, std::vector<int64_t> place,
                     std::vector<uint8_t> unplaced)
        : most_(most), width_(width), place_(std::move(place)), unplaced_(std::move(unplaced)) {}
    bool holds(int64_t records, Cells cells) const override;
    void refer_to(std::span<const int64_t> by_value) override;
    bool refers() const override { return true; }
    bool unites() const override { return width_.above >= width_.below; }

  private:
    Fraction most_, width_;
    std::vector<int64_t> place_;
    std::vector<uint8_t> unplaced_;
    int64_t range_ = 1, reach_ = 0;  // the table's, and how far apart pairs may be
};

// Categories: a pair contributes 1 - (leaves of the lowest node over both - 1) / leaves, if that is
// at least 1 - `width`.  Without a tree every pair of different values contributes 1 - 1 / values.
class TreeDisclosure final : public FormOf<TreeDisclosure> {
  public:
    // By node: its parent (the root's is itself) and the leaves under it; by value: its leaf.
    // `leaves` is how many the whole tree has; 0 if it is no tree, but all values under one root.
    TreeDisclosure(Fraction most, Fraction width, std::vector<int32_t> parent,
                   std::vector<int64_t> leaves_under, std::vector<int32_t> leaf, int64_t leaves,
                   int32_t missing);
    bool holds(int64_t records, Cells cells) const override;
    void refer_to(std::span<const int64_t> by_value) override;
    bool refers() const override { return counts_values_; }

  private:
    void weigh();

    Fraction most_, width_;
    std::vector<int32_t> parent_;
    std::vector<int64_t> leaves_under_;
    std::vector<int32_t> leaf_;
    int64_t leaves_;
    int32_t missing_;
    bool counts_values_;           // the table's values are the leaves
    std::vector<int64_t> weight_;  // by node: what a pair under it contributes, times `leaves_`
};
}  // namespace incrowd
