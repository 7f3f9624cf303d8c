// Classes of tuples under cuts: each column's places in a row, parted into runs or nodes.
//
// A tuple is one key of packed parts; small neighbouring columns share one look-up.  O(tuples x
// packs) a count.  Twin: tests/naive/splits.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrays.hpp"
#include "core/key_numbering.hpp"

namespace incrowd {

// Classes over some columns that must have so many records.
struct Demand {
    std::vector<std::size_t> columns;
    std::int64_t size;
};

// Distinct tuples of places 0, 1 ... in each column, and the classes asked for.
struct CutTable {
    std::size_t tuples = 0;
    std::vector<std::int32_t> places;  // column-major
    std::vector<std::int32_t> sizes;   // by column: how many places
    std::vector<std::int64_t> records;
    std::vector<std::int32_t> target;
    std::int32_t targets = 1;
    std::int64_t n_records = 0;
    std::vector<Demand> demands;  // the first covers all columns

    std::size_t columns() const { return sizes.size(); }
    const std::int32_t* column(std::size_t j) const { return places.data() + j * tuples; }
};

// Reads and checks a table; `covers` says by demand and column whether the demand covers it.
CutTable cut_table(const In<std::int32_t, 2>& places, const In<std::int64_t, 1>& sizes,
                   const In<std::int64_t, 1>& records, const In<std::int32_t, 1>& target,
                   const In<std::uint8_t, 2>& covers, const In<std::int64_t, 1>& least);

// By column and place the part it lies in, and by column how many parts there are.
struct Cuts {
    std::vector<std::vector<std::int32_t>> part;
    std::vector<std::int32_t> parts;

    explicit Cuts(const CutTable& table);  // one part per column
};

class CutCounter {
  public:
    // Classes over these columns.
    CutCounter(const CutTable& table, const std::vector<std::size_t>& columns);

    // Numbers the classes of some tuples by first appearance and returns how many there are.
    std::int32_t number(const Cuts& cuts, std::span<const std::int32_t> tuples,
                        std::vector<std::int32_t>& class_of);

  private:
    struct Pack {
        std::vector<std::size_t> columns;
        std::vector<std::uint32_t> code;  // by tuple
        std::vector<std::uint64_t> key;   // by code
        std::uint64_t codes = 1, keys = 1;
    };
    void refresh(Pack& pack, const Cuts& cuts) const;

    const CutTable& table_;
    std::vector<Pack> packs_;
    KeyNumbering numbering_;
    std::vector<std::uint64_t> keys_;
};

// The records that stand in classes of a demand that are too small, with all who then follow.
class Suppression {
  public:
    explicit Suppression(const CutTable& table) : table_(table) {}

    // Marks the tuples that fall, given their classes by demand; returns how many records fall.
    std::int64_t run(std::span<const std::int64_t> records,
                     const std::vector<std::vector<std::int32_t>>& class_of,
                     const std::vector<std::int32_t>& classes, std::vector<std::uint8_t>& fallen);

  private:
    const CutTable& table_;
    std::vector<std::int64_t> size_;
};

}  // namespace incrowd
