// Rows of small numbers, packed into as few 64-bit words as hold them.  Merging those that have
// become equal costs one look-up per row and word.  Twin: tests/naive/subtree.py::heuristic_min.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"
#include "core/key_numbering.hpp"

namespace incrowd {
// Where the number of a column stands in a packed row.
struct Field {
    size_t word;
    int shift;
    uint64_t mask;  // of the number itself

    int32_t of(uint64_t packed) const { return static_cast<int32_t>((packed >> shift) & mask); }
    uint64_t held(int32_t number) const { return static_cast<uint64_t>(number) << shift; }
    uint64_t place() const { return mask << shift; }
};

// Fields one after the other, none across two words; returns how many words there are.  `sizes` are
// by field how many numbers it can hold: 0, 1 ...
size_t lay_out(std::span<const uint64_t> sizes, std::vector<Field>& fields);

struct PackedRows {
    std::vector<std::vector<uint64_t>> words;  // by word: of each row
    std::vector<int64_t> records;

    size_t size() const { return records.size(); }
    int32_t number(const Field& field, size_t row) const {
        return field.of(words[field.word][row]);
    }
};

class RowMerging {
  public:
    // Numbers by first appearance the rows that differ in these bits; returns how many there are.
    int32_t number(const PackedRows& rows, std::span<const uint64_t> bits,
                   std::vector<int32_t>& class_of);
    // One row for those that are equal, and no more memory than they need.
    PackedRows merged(const PackedRows& rows);

  private:
    KeyNumbering numbering_;
    std::vector<uint64_t> keys_, everything_;
    std::vector<int32_t> own_, class_of_;
};
}  // namespace incrowd
