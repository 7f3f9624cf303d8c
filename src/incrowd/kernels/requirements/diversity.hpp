// Forms that count the different values of a class: l-diversity, and persons.
#pragma once

#include "requirements/forms.hpp"

namespace incrowd {
constexpr int32_t kNoValue = -1;

// At least `least` records.
class MinimumSize final : public FormOf<MinimumSize> {
  public:
    explicit MinimumSize(int64_t least) : least_(least) {}
    bool holds(int64_t records, Cells) const override { return records >= least_; }
    int64_t largest_part(int64_t, Cells, int64_t) const override { return 0; }
    bool falls_apart() const override { return true; }
    int64_t least() const { return least_; }

  private:
    int64_t least_;
};

// At least `least` different values.  `ignored` counts for nothing; each record of `alone` has a
// value of its own (persons with one record are counted so, without a code for each).
class Distinct final : public FormOf<Distinct> {
  public:
    Distinct(int64_t least, int32_t ignored, int32_t alone)
        : least_(least), ignored_(ignored), alone_(alone) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t, Cells, int64_t) const override { return 0; }
    bool falls_apart() const override { return true; }

  private:
    int64_t least_;
    int32_t ignored_, alone_;
};

// An entropy of at least ln(least).
class Entropy final : public FormOf<Entropy> {
  public:
    Entropy(Fraction least, int32_t ignored) : least_(least), ignored_(ignored) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t records, Cells cells, int64_t dropped) const override;

  private:
    Fraction least_;
    int32_t ignored_;
};

// The most frequent value is less frequent than `factor` times the `least`-th and all rarer ones
// together.
class Recursive final : public FormOf<Recursive> {
  public:
    Recursive(Fraction factor, int64_t least, int32_t ignored)
        : factor_(factor), least_(least), ignored_(ignored) {}
    bool holds(int64_t records, Cells cells) const override;
    int64_t largest_part(int64_t records, Cells cells, int64_t dropped) const override;

  private:
    bool holds(const std::vector<int64_t>& descending, int64_t cap) const;

    Fraction factor_;
    int64_t least_;
    int32_t ignored_;
};
}  // namespace incrowd
