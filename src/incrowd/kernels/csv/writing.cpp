// Rows of a CSV file from codes and dictionaries of raw cells: gathers, never formats.
// O(bytes written), one pass to measure and one to copy.  Twin: tests/naive/csv.py::write.
#include <nanobind/stl/vector.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/arrays.hpp"

namespace incrowd {

namespace {

struct Column {
    std::span<const std::int32_t> codes;
    std::span<const std::uint8_t> bytes;
    std::span<const std::int64_t> offsets;
};

void check(const Column& column, std::size_t start, std::size_t stop) {
    if (start > stop || stop > column.codes.size())
        throw std::invalid_argument("csv: the rows are out of range");
    if (column.offsets.empty() || column.offsets.front() != 0 ||
        column.offsets.back() != std::ssize(column.bytes))
        throw std::invalid_argument("csv: the offsets do not fit the cells");
    for (std::size_t i = 1; i < column.offsets.size(); ++i)
        if (column.offsets[i] < column.offsets[i - 1])
            throw std::invalid_argument("csv: the offsets are not in order");
    for (std::size_t i = start; i < stop; ++i)  // a negative code is a very large unsigned one
        if (static_cast<std::uint32_t>(column.codes[i]) >= column.offsets.size() - 1)
            throw std::invalid_argument("csv: a code is out of range");
}

std::size_t measure(const Column& column, std::size_t start, std::size_t stop) {
    std::int64_t total = 0;
    for (std::size_t i = start; i < stop; ++i) {
        const auto code = static_cast<std::size_t>(column.codes[i]);
        total += column.offsets[code + 1] - column.offsets[code];
    }
    return static_cast<std::size_t>(total);
}

std::vector<std::uint8_t> format_rows(const std::vector<Column>& columns,
                                      std::string_view separator, std::string_view ending,
                                      std::size_t start, std::size_t stop) {
    if (columns.empty()) throw std::invalid_argument("csv: at least one column is needed");
    std::size_t size = (stop - start) * (separator.size() * (columns.size() - 1) + ending.size());
    for (const Column& column : columns) size += measure(column, start, stop);
    std::vector<std::uint8_t> rows(size);
    std::uint8_t* at = rows.data();
    const auto put = [&at](const void* from, std::size_t length) {
        if (length) std::memcpy(at, from, length);
        at += length;
    };
    for (std::size_t i = start; i < stop; ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            if (j) put(separator.data(), separator.size());
            const Column& column = columns[j];
            const auto code = static_cast<std::size_t>(column.codes[i]);
            const std::int64_t from = column.offsets[code];
            put(column.bytes.data() + from,
                static_cast<std::size_t>(column.offsets[code + 1] - from));
        }
        put(ending.data(), ending.size());
    }
    return rows;
}

template <typename T>
std::span<const T> view(const In<T, 1>& array) {
    return {array.data(), array.size()};
}

}  // namespace

void bind_csv_writing(nb::module_& module) {
    module.def(
        "format_csv_rows",
        [](const std::vector<In<std::int32_t, 1>>& codes,
           const std::vector<In<std::uint8_t, 1>>& cells,
           const std::vector<In<std::int64_t, 1>>& offsets, const nb::bytes& separator,
           const nb::bytes& ending, std::size_t start, std::size_t stop) {
            if (codes.size() != cells.size() || codes.size() != offsets.size())
                throw std::invalid_argument("csv: one dictionary per column is needed");
            std::vector<Column> columns;
            for (std::size_t j = 0; j < codes.size(); ++j)
                columns.push_back({view(codes[j]), view(cells[j]), view(offsets[j])});
            std::vector<std::uint8_t> rows;
            {
                nb::gil_scoped_release release;
                for (const Column& column : columns) check(column, start, stop);
                rows = format_rows(columns, {separator.c_str(), separator.size()},
                                   {ending.c_str(), ending.size()}, start, stop);
            }
            return to_numpy(std::move(rows));
        },
        nb::arg("codes"), nb::arg("cells"), nb::arg("offsets"), nb::arg("separator"),
        nb::arg("ending"), nb::arg("start"), nb::arg("stop"));
}

}  // namespace incrowd
