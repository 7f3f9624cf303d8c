// How much a column tells records apart at a level, beyond what other columns tell, in bits.
//
// Half of it is the entropy, half the logarithm of the number of different values: records fall
// where values are rare, and there may be many rare ones that few records have.  Counted over a
// sample of the tuples, one pair of columns and levels at a time, when it is first asked for.
// O(tuples of the sample) for each pair.  Twin: tests/naive/information.py.
#pragma once

#include <span>
#include <vector>

#include "core/key_numbering.hpp"
#include "lattice/column.hpp"

namespace incrowd {
// Every so many-th of the tuples.
struct TupleSample {
    TupleSample(std::span<const int32_t> codes, std::span<const int64_t> records, size_t columns);

    std::vector<std::vector<int32_t>> codes;  // by column
    std::vector<int64_t> records;
};

class Information {
  public:
    Information(const std::vector<LatticeColumn>& columns, const TupleSample& sample, size_t slots)
        : columns_(columns), sample_(sample), slots_(slots), known_(slots * slots, kUnknown) {}

    // What column `j` tells at `level` to whoever knows the one other column that leaves least of
    // it, of those that are below their level in `top`.
    double beyond(const Levels& others, const Levels& top, size_t j, uint8_t level);

  private:
    static constexpr double kUnknown = -1.0;

    double of(size_t i, uint8_t level) { return of_pair(i, level, i, level); }
    double of_pair(size_t i, uint8_t level, size_t j, uint8_t other);
    double counted(size_t i, uint8_t level, size_t j, uint8_t other);

    const std::vector<LatticeColumn>& columns_;
    const TupleSample& sample_;
    size_t slots_;
    std::vector<double> known_;  // by pair of slots
    KeyNumbering numbering_;
    std::vector<uint64_t> keys_;
    std::vector<int32_t> class_of_;
};
}  // namespace incrowd
