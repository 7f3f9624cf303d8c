// Python's view of CSV files.
#include "core/binding.hpp"

#include "csv/reading.hpp"
#include "csv/writing.hpp"

namespace incrowd {
namespace {
std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::tuple take_column(CsvReader& reader, size_t j) {
    if (j >= reader.columns.size()) throw std::out_of_range("csv: no such column");
    CsvColumn column = std::move(reader.columns[j]);
    reader.columns[j] = CsvColumn{};
    const bool distinct = column.cells.distinct;
    return nb::make_tuple(to_python(column.codes), to_python(column.cells.bytes),
                          to_python(column.cells.offsets), distinct);
}

nb::tuple distinct_cells(In<uint8_t, 1> bytes, Counts offsets) {
    const auto text = view(bytes);
    const auto ends = view(offsets);
    auto found = without_gil([&] { return number_cells(text, ends); });
    return hand_over(found.codes, found.cells.bytes, found.cells.offsets);
}

nb::list header_of(const CsvReader& reader) {
    nb::list names;
    for (const std::string& name : reader.header) names.append(nb::bytes(name.data(), name.size()));
    return names;
}

void bind_reader(nb::module_& module) {
    const auto make = [](CsvReader* self, const nb::bytes& separator, int64_t row_limit) {
        new (self) CsvReader(text_of(separator), row_limit);
    };
    const auto feed = [](CsvReader& self, In<uint8_t, 1> chunk, bool last) {
        return without_gil([&] { return self.feed(view(chunk), last); });
    };
    const auto endings = [](const CsvReader& self) {
        return nb::make_tuple(self.endings[0], self.endings[1], self.endings[2]);
    };
    nb::class_<CsvReader>(module, "CsvReader")
        .def("__init__", make, nb::arg("separator"), nb::arg("row_limit"))
        .def("feed", feed, nb::arg("chunk"), nb::arg("last"))
        .def_prop_ro("problem", [](const CsvReader& r) { return static_cast<int>(r.problem); })
        .def_ro("problem_line", &CsvReader::problem_line)
        .def_ro("problem_cells", &CsvReader::problem_cells)
        .def_ro("rows", &CsvReader::rows)
        .def_prop_ro("header", &header_of)
        .def_prop_ro("endings", endings)
        .def("take_column", &take_column, nb::arg("column"));
}
}  // namespace

void bind_csv(nb::module_& module) {
    bind_reader(module);
    const auto count = [](In<uint8_t, 1> text, const nb::bytes& separator, bool last) {
        auto counts = cells_per_record(view(text), text_of(separator), last);
        return to_python(counts);
    };
    const auto format = [](const std::vector<Ints>& codes, const std::vector<In<uint8_t, 1>>& cells,
                           const std::vector<Counts>& offsets, const nb::bytes& separator,
                           const nb::bytes& ending, size_t start, size_t stop) {
        if (codes.size() != cells.size() || codes.size() != offsets.size())
            refuse("csv", "one dictionary per column is needed");
        std::vector<CodedCells> columns;
        for (size_t j = 0; j < codes.size(); ++j)
            columns.push_back({view(codes[j]), view(cells[j]), view(offsets[j])});
        const std::string_view between(separator.c_str(), separator.size());
        const std::string_view last(ending.c_str(), ending.size());
        auto rows =
            without_gil([&] { return format_csv_rows(columns, between, last, start, stop); });
        return to_python(rows);
    };
    define(module, "distinct_cells", distinct_cells, "cells", "offsets");
    define(module, "csv_cells_per_record", count, "text", "separator", "last");
    define(module, "format_csv_rows", format, "codes", "cells", "offsets", "separator", "ending",
           "start", "stop");
}
}  // namespace incrowd
