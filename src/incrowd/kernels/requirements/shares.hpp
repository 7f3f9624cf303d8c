// Forms that bound the share of each value in a class: (alpha, k)-anonymity, beta-likeness and
// delta-disclosure.
#pragma once

#include "requirements/forms.hpp"

namespace incrowd {
// What a value's share is compared with: how many records have it in the whole table.
struct Reference {
    std::vector<int64_t> records;  // by value
    int64_t total = 0;

    void set(std::span<const int64_t> by_value);
    int64_t of(int32_t value) const { return records[static_cast<size_t>(value)]; }
};

// No value, or none of the marked ones, has more than a share of `most`.
class ShareAtMost final : public FormOf<ShareAtMost> {
  public:
    ShareAtMost(Fraction most, std::vector<uint8_t> marked)
        : most_(most), marked_(std::move(marked)) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t records, Cells cells, int64_t dropped) const override;

  private:
    bool is_bounded(int32_t value) const {
        return marked_.empty() || marked_[static_cast<size_t>(value)];
    }
    Fraction most_;
    std::vector<uint8_t> marked_;  // by value; empty: all of them
};

// No value is more frequent than in the table by more than `most` of its share there; enhanced: nor
// by more than minus the logarithm of that share.
class BetaLikeness final : public FormOf<BetaLikeness> {
  public:
    BetaLikeness(Fraction most, bool enhanced) : most_(most), enhanced_(enhanced) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t records, Cells cells, int64_t dropped) const override;
    void refer_to(std::span<const int64_t> by_value) override { reference_.set(by_value); }
    bool refers() const override { return true; }

  private:
    bool holds(int64_t records, const Cell& cell) const;

    Fraction most_;
    bool enhanced_;
    Reference reference_;
};

// The share of each value is less than 2^`most` times its share in the table, and more than the
// 2^`most`-th part of it.  Values that the class does not have break it, unless they are ignored.
class DeltaDisclosure final : public FormOf<DeltaDisclosure> {
  public:
    DeltaDisclosure(Fraction most, bool ignores_absent)
        : most_(most), ignores_absent_(ignores_absent) {}
    bool holds(int64_t records, Cells cells) const override;
    void refer_to(std::span<const int64_t> by_value) override;
    bool refers() const override { return true; }
    bool unites() const override { return !ignores_absent_; }

  private:
    Fraction most_;
    bool ignores_absent_;
    Reference reference_;
    size_t values_ = 0;  // that the table has
};
}  // namespace incrowd
