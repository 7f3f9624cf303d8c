// The raw cells of a column, numbered by first appearance: O(bytes of the cell) each.
//
// Names, amounts and identifiers hardly ever come twice.  To look for each of them among all the
// others would take most of the time of a file and find nothing, so a column is no longer looked up
// once it has many cells and most were new: from there on each cell gets a number of its own.
//
// A raw cell is the cell's bytes as they stand in the file, quotes included, so an untouched cell
// can be written back byte for byte.  Equal bytes are equally good text: only new cells are
// checked.  Twin: tests/naive/csv.py::codes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
enum class TextProblem : int32_t { none, nul_byte, not_utf8 };

// Whether a cell is text: UTF-8 without NUL.
TextProblem check_text(std::string_view cell);

// Throws unless the offsets part the bytes into cells, end to end.
void check_offsets(std::span<const uint8_t> bytes, std::span<const int64_t> offsets);

// The cells of one column, numbered by first appearance.
class CellDictionary {
  public:
    CellDictionary();
    // The code of a cell; a new one is checked and gets the next code.  -1 if it is no text.
    // Eight bytes after the end of the cell must be readable.
    int32_t insert(std::string_view cell);
    // The same, but cells that hardly repeat are no longer looked up: then `distinct` is false.
    int32_t insert_if_it_pays(std::string_view cell);

    std::vector<uint8_t> bytes;
    std::vector<int64_t> offsets{0};
    bool distinct = true;  // whether equal cells have one code

  private:
    struct Slot {
        uint64_t key;  // the cell itself up to 8 bytes, its hash beyond
        uint32_t length;
        int32_t code;
    };
    bool holds(const Slot& slot, std::string_view cell) const;
    int32_t append(std::string_view cell);
    void grow();

    std::vector<Slot> slots_;
    uint64_t mask_;
    int64_t asked_ = 0;  // cells so far
};
}  // namespace incrowd
