// Where the cells of a CSV record begin and end.  O(bytes).
//
// RFC 4180 with any separator of one UTF-8 character.  CRLF, LF and CR each end a record; a quote
// opens a quoted cell only as its first byte, elsewhere it is a character like any other.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
enum class Ending : int32_t { none = -1, lf = 0, crlf = 1, cr = 2 };

// Finds the cells of one record.
class RecordScanner {
  public:
    enum class Found { record, incomplete, unterminated_quote, text_after_quote };

    explicit RecordScanner(std::string separator);
    // Scans the record that starts at `begin`.  `last` says that no bytes will follow `end`.
    Found scan(const char* begin, const char* end, bool last);

    std::vector<std::string_view> cells;
    const char* next = nullptr;  // where the next record starts
    Ending ending = Ending::none;
    int64_t breaks_inside = 0;  // line breaks within quoted cells
    // An empty line: a single cell of no bytes.
    bool blank() const { return cells.size() == 1 && cells[0].empty(); }

  private:
    bool skip_quoted(const char*& at, const char* end) const;
    const char* skip_plain(const char* at, const char* end) const;
    bool at_separator(const char* at, const char* end) const;

    std::string separator_;
    std::array<bool, 256> stops_{};  // bytes that may end an unquoted cell
};
}  // namespace incrowd
