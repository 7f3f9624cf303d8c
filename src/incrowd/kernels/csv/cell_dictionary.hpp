// The distinct raw cells of a column, numbered by first appearance: O(bytes of the cell) each.
//
// A raw cell is the cell's bytes as they stand in the file, quotes included, so an untouched cell
// can be written back byte for byte.  Equal bytes are equally good text: only new cells are
// checked.
#pragma once

#include <string_view>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
enum class TextProblem : int32_t { none, nul_byte, not_utf8 };

// Whether a cell is text: UTF-8 without NUL.
TextProblem check_text(std::string_view cell);

// The distinct cells of one column, numbered by first appearance.
class CellDictionary {
  public:
    CellDictionary();
    // The code of a cell; a new one is checked and gets the next code.  -1 if it is no text.
    // Eight bytes after the end of the cell must be readable.
    int32_t insert(std::string_view cell);

    std::vector<uint8_t> bytes;
    std::vector<int64_t> offsets{0};

  private:
    struct Slot {
        uint64_t key;  // the cell itself up to 8 bytes, its hash beyond
        uint32_t length;
        int32_t code;
    };
    bool holds(const Slot& slot, std::string_view cell) const;
    void grow();

    std::vector<Slot> slots_;
    uint64_t mask_;
};
}  // namespace incrowd
