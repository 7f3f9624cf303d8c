// Forms of t-closeness: how far the values of a class are from those of the table, in earth moved.
#pragma once

#include "requirements/shares.hpp"

namespace incrowd {
// Every value is as far from every other.
class EqualCloseness final : public FormOf<EqualCloseness> {
  public:
    explicit EqualCloseness(Fraction most) : most_(most) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t records, Cells cells, int64_t dropped) const override;
    void refer_to(std::span<const int64_t> by_value) override { reference_.set(by_value); }
    bool refers() const override { return true; }

  private:
    Fraction most_;
    Reference reference_;
};

// Values stand in a row, and are as far apart as there are steps between them; the whole row, as
// far as the table has its values, has length 1.
class OrderedCloseness final : public FormOf<OrderedCloseness> {
  public:
    // `rank` is by value: its place in the row; equal ones are one value.
    OrderedCloseness(Fraction most, std::vector<int32_t> rank)
        : most_(most), rank_(std::move(rank)) {}
    bool holds(int64_t records, Cells cells) const override;
    void refer_to(std::span<const int64_t> by_value) override;
    bool refers() const override { return true; }

  private:
    // The sum over the places from..to - 1 of |moved - records x below_[place]|.
    Wide gap(size_t from, size_t to, Wide moved, int64_t records) const;

    Fraction most_;
    std::vector<int32_t> rank_;
    int64_t total_ = 0;
    std::vector<int64_t> place_;  // by value: among those of the table, or -1
    std::vector<int64_t> below_;  // by place: records of the table at it and before
    std::vector<Wide> sums_;      // by place: the sum of `below_` before it
};

// Two values are as far apart as the lowest node over both is high; the root has height 1.
class TreeCloseness final : public FormOf<TreeCloseness> {
  public:
    // By node: its parent (the root's is itself) and its height; by value: its leaf.
    TreeCloseness(Fraction most, std::vector<int32_t> parent, std::vector<int32_t> height,
                  std::vector<int32_t> leaf);
    bool holds(int64_t records, Cells cells) const override;
    void refer_to(std::span<const int64_t> by_value) override;
    bool refers() const override { return true; }

  private:
    Fraction most_;
    std::vector<int32_t> parent_, height_, leaf_;
    std::vector<int64_t> under_;  // by node: records of the table
    int64_t total_ = 0;
};
}  // namespace incrowd
