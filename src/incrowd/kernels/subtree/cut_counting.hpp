// Classes of tuples under cuts: each column's places in a row, parted into runs or nodes.
//
// A tuple is one key of packed parts; small neighbouring columns share one look-up.  O(tuples x
// packs) a count.  Twin: tests/naive/splits.py.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"
#include "core/key_numbering.hpp"

namespace incrowd {
// Classes over some columns that must have so many records.
struct Demand {
    std::vector<size_t> columns;
    int64_t size;
};

// Distinct tuples of places 0, 1 ... in each column, and the classes asked for.
struct CutTable {
    size_t tuples = 0;
    std::vector<int32_t> places;  // column-major
    std::vector<int32_t> sizes;   // by column: how many places
    std::vector<int64_t> records;
    std::vector<int32_t> target;
    int32_t targets = 1;
    int64_t n_records = 0;
    std::vector<Demand> demands;  // the first covers all columns

    size_t columns() const { return sizes.size(); }
    const int32_t* column(size_t j) const { return places.data() + j * tuples; }
};

// By column and place the part it lies in, and by column how many parts there are.
struct Cuts {
    std::vector<std::vector<int32_t>> part;
    std::vector<int32_t> parts;

    explicit Cuts(const CutTable& table);  // one part per column
};

class CutCounter {
  public:
    // Classes over these columns.
    CutCounter(const CutTable& table, const std::vector<size_t>& columns);

    // Numbers the classes of some tuples by first appearance and returns how many there are.
    int32_t number(const Cuts& cuts, std::span<const int32_t> tuples,
                   std::vector<int32_t>& class_of);

  private:
    struct Pack {
        std::vector<size_t> columns;
        std::vector<uint32_t> code;  // by tuple
        std::vector<uint64_t> key;   // by code
        uint64_t codes = 1, keys = 1;
    };
    void refresh(Pack& pack, const Cuts& cuts) const;

    const CutTable& table_;
    std::vector<Pack> packs_;
    KeyNumbering numbering_;
    std::vector<uint64_t> keys_;
};

// The records that stand in classes of a demand that are too small, with all who then follow.
class SmallClasses {
  public:
    explicit SmallClasses(const CutTable& table) : table_(table) {}

    // Marks the tuples that fall, given their classes by demand; returns how many records fall.
    int64_t run(std::span<const int64_t> records, const std::vector<std::vector<int32_t>>& class_of,
                const std::vector<int32_t>& classes, std::vector<uint8_t>& fallen);

  private:
    const CutTable& table_;
    std::vector<int64_t> size_;
};
}  // namespace incrowd
