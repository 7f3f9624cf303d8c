// A CSV file as codes: each column becomes int32 codes into a dictionary of its raw cells.  One
// pass, O(bytes); memory follows the codes and the distinct cells, not the file, but for columns
// whose cells hardly ever come twice.
// Twin: tests/naive/csv.py::read.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/integers.hpp"
#include "csv/cell_dictionary.hpp"
#include "csv/scanning.hpp"

namespace incrowd {
// What is wrong with a file; the numbers are part of the interface to Python.
enum class Problem : int32_t {
    none = 0,
    ragged_row = 1,
    unterminated_quote = 2,
    text_after_quote = 3,
    nul_byte = 4,
    not_utf8 = 5,
    empty_line = 6,
    too_many_rows = 7,
};

struct CsvColumn {
    std::vector<int32_t> codes;
    CellDictionary cells;
};

// Reads a file that arrives in chunks.
class CsvReader {
  public:
    CsvReader(std::string separator, int64_t row_limit);
    // Takes the next bytes; false once a problem was found.
    bool feed(std::span<const uint8_t> chunk, bool last);

    Problem problem = Problem::none;
    int64_t problem_line = 0;
    int64_t problem_cells = 0;
    int64_t rows = 0;
    std::array<int64_t, 3> endings{};  // how often each line ending occurs
    std::vector<std::string> header;
    std::vector<CsvColumn> columns;

  private:
    void consume(const char* begin, const char* end, bool last);
    void take_header();
    void take_record();
    void fail(Problem what, int64_t line);

    RecordScanner scanner_;
    int64_t row_limit_;
    std::vector<char> pending_;  // bytes of records that are not complete yet
    size_t retry_at_ = 0;        // a long record is scanned again only when twice as long
    int64_t line_ = 1;
    int64_t empty_line_ = 0;
    bool has_header_ = false;
};

// Cells that lie end to end under one code each, however often they come.
CsvColumn number_cells(std::span<const uint8_t> bytes, std::span<const int64_t> offsets);

// Cells of each complete record at the start of a file, 0 for an empty line: what a separator makes
// of it.  Ends before the first record that is broken.
std::vector<int32_t> cells_per_record(std::span<const uint8_t> text, const std::string& separator,
                                      bool last);
}  // namespace incrowd
