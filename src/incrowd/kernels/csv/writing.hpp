// Rows of a CSV file from codes and dictionaries of raw cells: gathers, never formats.
// O(bytes written), one pass to measure and one to copy.  Twin: tests/naive/csv.py::write.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
// A column: the code of each row, and where the cell of each code stands in the bytes.
struct CodedCells {
    std::span<const int32_t> codes;
    std::span<const uint8_t> bytes;
    std::span<const int64_t> offsets;
};

std::vector<uint8_t> format_csv_rows(const std::vector<CodedCells>& columns,
                                     std::string_view separator, std::string_view ending,
                                     size_t start, size_t stop);
}  // namespace incrowd
