// What suppressing records costs more than generalising them, by column and level.
//
// Records are added up by packed cells (a few additions per tuple), and these by column and leaf.
// Cost: O(tuples of the classes that fall x packs).
#pragma once

#include <span>
#include <vector>

#include "lattice/packing.hpp"
#include "lattice/source.hpp"

namespace incrowd {
class ExcessSums {
  public:
    // `codes` and `records` are those of the tuples; the columns must live as long.
    ExcessSums(const std::vector<LatticeColumn>& columns, std::span<const int32_t> codes,
               std::span<const int64_t> records);

    // Over the tuples of the classes of `source` that are marked.
    std::vector<int64_t> of(const Source& source, const std::vector<uint8_t>& marked);

  private:
    void list(const Source& source, const std::vector<uint8_t>& marked);
    template <size_t Width>
    void add_listed(const Source& source);
    std::vector<int64_t> sum_up();

    const std::vector<LatticeColumn>& columns_;
    std::vector<Pack> cells_;
    std::vector<int64_t> records_;    // by tuple
    std::vector<uint32_t> rows_;      // by tuple: its position in the histogram of each pack
    std::vector<uint32_t> leaf_of_;   // by column of each pack and code: its position in leaves_
    std::vector<int64_t> histogram_;  // records by packed cell; zeros between calls
    std::vector<int64_t> leaves_;     // records by column and leaf
    std::vector<int32_t> listed_;     // the classes that are marked
    size_t count_ = 0;                // of these
};
}  // namespace incrowd
