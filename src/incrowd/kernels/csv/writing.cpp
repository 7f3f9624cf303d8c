#include "csv/writing.hpp"

#include <cstring>
#include <stdexcept>

#include "csv/cell_dictionary.hpp"

namespace incrowd {
namespace {
void check(const CodedCells& column, size_t start, size_t stop) {
    if (start > stop || stop > column.codes.size())
        throw std::invalid_argument("csv: the rows are out of range");
    check_offsets(column.bytes, column.offsets);
    for (size_t i = start; i < stop; ++i)  // a negative code is a very large unsigned one
        if (static_cast<uint32_t>(column.codes[i]) >= column.offsets.size() - 1)
            throw std::invalid_argument("csv: a code is out of range");
}

size_t measure(const CodedCells& column, size_t start, size_t stop) {
    int64_t total = 0;
    for (size_t i = start; i < stop; ++i) {
        const auto code = static_cast<size_t>(column.codes[i]);
        total += column.offsets[code + 1] - column.offsets[code];
    }
    return static_cast<size_t>(total);
}
}  // namespace

std::vector<uint8_t> format_csv_rows(const std::vector<CodedCells>& columns,
                                     std::string_view separator, std::string_view ending,
                                     size_t start, size_t stop) {
    if (columns.empty()) throw std::invalid_argument("csv: at least one column is needed");
    for (const CodedCells& column : columns) check(column, start, stop);
    size_t size = (stop - start) * (separator.size() * (columns.size() - 1) + ending.size());
    for (const CodedCells& column : columns) size += measure(column, start, stop);
    std::vector<uint8_t> rows(size);
    uint8_t* at = rows.data();
    const auto put = [&at](const void* from, size_t length) {
        if (length) std::memcpy(at, from, length);
        at += length;
    };
    for (size_t i = start; i < stop; ++i) {
        for (size_t j = 0; j < columns.size(); ++j) {
            if (j) put(separator.data(), separator.size());
            const CodedCells& column = columns[j];
            const auto code = static_cast<size_t>(column.codes[i]);
            const int64_t from = column.offsets[code];
            put(column.bytes.data() + from, static_cast<size_t>(column.offsets[code + 1] - from));
        }
        put(ending.data(), ending.size());
    }
    return rows;
}
}  // namespace incrowd
