// Python's view of the searches over regions.
#include "core/binding.hpp"

#include <cmath>

#include "regions/class_spans.hpp"
#include "regions/infogain_mondrian.hpp"
#include "regions/mondrian.hpp"

namespace incrowd::region_search {
namespace {
using Report = std::function<void(int64_t)>;

// Nodes are intervals of codes, each level a function of the one below, and the last one the root.
bool is_tree(const RegionColumn& column) {
    const auto width = static_cast<size_t>(column.n_codes);
    if (width == 0) return column.first.empty();
    if (column.first.empty() || column.first.size() % width != 0) return false;
    const size_t levels = column.first.size() / width;
    for (size_t level = 0; level < levels; ++level)
        for (int32_t code = 0; code < column.n_codes; ++code) {
            const int32_t first = column.first_at(level, code);
            const bool starts = first == code;
            const bool follows = code > 0 && first == column.first_at(level, code - 1);
            if (starts == follows) return false;
            if (level == 0 ? !starts : starts && column.first_at(level - 1, code) != code)
                return false;
        }
    return column.first_at(levels - 1, column.n_codes - 1) == 0;
}

void check(const RegionColumn& column) {
    const auto is_nan = [](double value) { return std::isnan(value); };
    const bool line = !column.place.empty();
    const bool fits = line ? column.place.size() <= static_cast<size_t>(column.n_codes)
                           : is_tree(column) && column.width.size() == column.first.size();
    if (column.n_codes < 0 || !fits || std::ranges::any_of(column.place, is_nan) ||
        std::ranges::any_of(column.width, is_nan))
        refuse("region columns", "a column is damaged");
}

// Reads what `region_columns` in incrowd.algorithms.multidimensional.family.widths writes.
std::vector<RegionColumn> region_columns(nb::list columns) {
    std::vector<RegionColumn> read;
    for (nb::handle each : columns) {
        const auto given = nb::cast<nb::tuple>(each);
        if (given.size() != 5) refuse("region columns", "a column is damaged");
        read.push_back({nb::cast<int32_t>(given[0]), array_in<double>(given[1]),
                        nb::cast<double>(given[2]), array_in<int32_t>(given[3]),
                        array_in<double>(given[4])});
        check(read.back());
    }
    return read;
}

// One row of codes per column is checked with the codes.
void check(const char* kernel, const Requirements& requirements, const Matrix& codes) {
    const auto fits = [&](const auto& covers) { return covers.size() == codes.shape(0); };
    if (requirements.kind().size() != codes.shape(1) ||
        !std::ranges::all_of(requirements.views(), fits))
        refuse(kernel, "the requirements do not fit the tuples");
}

Search search_of(const char* kernel, const Matrix& codes, nb::list columns,
                 const Requirements& requirements, int64_t size, bool divides, size_t threads,
                 const Report& report) {
    if (size < 1 || threads < 1) refuse(kernel, "sizes and threads are 1 or more");
    check(kernel, requirements, codes);
    return {region_columns(columns), requirements, size, divides, threads, report};
}

nb::tuple strict_mondrian(Matrix codes, Counts records, nb::list columns,
                          const Requirements& requirements, int64_t size, bool by_hierarchy,
                          size_t threads, Report report) {
    const Search search =
        search_of("mondrian", codes, columns, requirements, size, false, threads, report);
    for (const RegionColumn& column : search.columns)
        if (by_hierarchy && !column.place.empty()) refuse("mondrian", "a column has no hierarchy");
    auto found = without_gil([&] {
        return mondrian(search, by_hierarchy ? Split::hierarchy : Split::median,
                        read_tuples("mondrian", codes, records, search.columns));
    });
    return hand_over(found.tree.column, found.tree.cut, found.tree.left, found.tree.right,
                     found.low, found.high);
}

nb::tuple relaxed_mondrian(Matrix codes, Counts records, nb::list columns,
                           const Requirements& requirements, int64_t size, size_t threads,
                           Report report) {
    const Search search =
        search_of("mondrian", codes, columns, requirements, size, true, threads, report);
    auto found = without_gil([&] {
        return mondrian(search, Split::relaxed,
                        read_tuples("mondrian", codes, records, search.columns));
    });
    return hand_over(found.tuple, found.class_of, found.records);
}

Tuples classified_tuples(const Search& search, const Matrix& codes, const Counts& records,
                         const Ints& classes) {
    const char* kernel = "infogain mondrian";
    if (records.size() != codes.shape(1) || classes.size() != codes.shape(1))
        refuse(kernel, "one count and class per tuple are needed");
    for (const int32_t each : view(classes))
        if (each < 0 || each == std::numeric_limits<int32_t>::max())
            refuse(kernel, "a class is out of range");
    return read_tuples(kernel, codes, records, search.columns);
}

nb::tuple infogain(Matrix codes, Counts records, Ints classes, nb::list columns,
                   const Requirements& requirements, int64_t size, size_t threads, Report report) {
    const Search search =
        search_of("infogain mondrian", codes, columns, requirements, size, false, threads, report);
    auto found = without_gil([&] {
        const Tuples tuples = classified_tuples(search, codes, records, classes);
        return infogain_mondrian(search, tuples, view(classes));
    });
    return hand_over(found.cuts.column, found.cuts.first, found.cuts.low, found.cuts.child,
                     found.score, found.tree.column, found.tree.cut, found.tree.left,
                     found.tree.right, found.low, found.high);
}

nb::tuple spans_of(Matrix codes, Ints tuple_of, Ints class_of, size_t n_classes) {
    if (tuple_of.size() != class_of.size()) refuse("class_spans", "one class per part is needed");
    auto spans = without_gil([&] {
        for (size_t p = 0; p < tuple_of.size(); ++p)
            if (static_cast<uint32_t>(tuple_of.data()[p]) >= codes.shape(1) ||
                class_of.data()[p] >= static_cast<int64_t>(n_classes))
                refuse("class_spans", "a part names no tuple or no class");
        return class_spans(view(codes), codes.shape(0), view(tuple_of), view(class_of), n_classes);
    });
    return hand_over(spans.low, spans.high);
}

nb::object regions_in(Matrix codes, Ints column, Ints cut, Ints left, Ints right) {
    auto found = without_gil([&] {
        return regions_of(view(codes), codes.shape(0), codes.shape(1),
                          {copied(column), copied(cut), copied(left), copied(right), {}});
    });
    return nb::cast(to_python(found));
}

nb::tuple tree_of(Ints column, Counts first, Ints low, Counts child) {
    auto split = without_gil(
        [&] { return split_tree({copied(column), copied(first), copied(low), copied(child)}); });
    return hand_over(split.column, split.cut, split.left, split.right, split.region);
}
}  // namespace
}  // namespace incrowd::region_search

namespace incrowd {
void bind_regions(nb::module_& module) {
    using namespace region_search;
    define(module, "mondrian", &strict_mondrian, "codes", "records", "columns", "requirements",
           "size", "by_hierarchy", "threads", "report");
    define(module, "relaxed_mondrian", &relaxed_mondrian, "codes", "records", "columns",
           "requirements", "size", "threads", "report");
    define(module, "infogain_mondrian", &infogain, "codes", "records", "classes", "columns",
           "requirements", "size", "threads", "report");
    define(module, "class_spans", &spans_of, "codes", "tuple_of", "class_of", "n_classes");
    define(module, "regions_of", &regions_in, "codes", "column", "cut", "left", "right");
    define(module, "split_tree", &tree_of, "column", "first", "low", "child");
}
}  // namespace incrowd
