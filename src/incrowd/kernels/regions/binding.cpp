// Python's view of the searches over regions.
#include "requirements/binding.hpp"

#include "regions/class_spans.hpp"
#include "regions/infogain_mondrian.hpp"
#include "regions/mondrian.hpp"

namespace incrowd::region_search {
namespace {
using Report = std::function<void(int64_t)>;

Search search_of(const char* kernel, const Table& table, const Regions& regions,
                 const Requirements& requirements, int64_t size, bool divides, size_t threads,
                 const Report& report) {
    if (size < 1 || threads < 1) refuse(kernel, "sizes and threads are 1 or more");
    check_fit(kernel, table, regions.columns);
    check_about(kernel, requirements, table);
    return {regions.columns, requirements, size, divides, threads, report};
}

nb::tuple strict_mondrian(const Table& table, const Regions& regions,
                          const Requirements& requirements, int64_t size, bool by_hierarchy,
                          size_t threads, Report report) {
    const Search search =
        search_of("mondrian", table, regions, requirements, size, false, threads, report);
    for (const RegionColumn& column : search.columns)
        if (by_hierarchy && !column.place.empty()) refuse("mondrian", "a column has no hierarchy");
    auto found = without_gil([&] {
        return mondrian(search, by_hierarchy ? Split::hierarchy : Split::median, table.tuples());
    });
    return hand_over(found.tree.column, found.tree.cut, found.tree.left, found.tree.right,
                     found.low, found.high);
}

nb::tuple relaxed_mondrian(const Table& table, const Regions& regions,
                           const Requirements& requirements, int64_t size, size_t threads,
                           Report report) {
    const Search search =
        search_of("mondrian", table, regions, requirements, size, true, threads, report);
    auto found = without_gil([&] { return mondrian(search, Split::relaxed, table.tuples()); });
    return hand_over(found.tuple, found.class_of, found.records);
}

nb::tuple infogain(const Table& table, Ints classes, const Regions& regions,
                   const Requirements& requirements, int64_t size, size_t threads, Report report) {
    const char* kernel = "infogain mondrian";
    const Search search =
        search_of(kernel, table, regions, requirements, size, false, threads, report);
    if (classes.size() != table.size()) refuse(kernel, "one class per tuple is needed");
    for (const int32_t each : view(classes))
        if (each < 0 || each == std::numeric_limits<int32_t>::max())
            refuse(kernel, "a class is out of range");
    auto found =
        without_gil([&] { return infogain_mondrian(search, table.tuples(), view(classes)); });
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
    define(module, "mondrian", &strict_mondrian, "table", "regions", "requirements", "size",
           "by_hierarchy", "threads", "report");
    define(module, "relaxed_mondrian", &relaxed_mondrian, "table", "regions", "requirements",
           "size", "threads", "report");
    define(module, "infogain_mondrian", &infogain, "table", "classes", "regions", "requirements",
           "size", "threads", "report");
    define(module, "class_spans", &spans_of, "codes", "tuple_of", "class_of", "n_classes");
    define(module, "regions_of", &regions_in, "codes", "column", "cut", "left", "right");
    define(module, "split_tree", &tree_of, "column", "first", "low", "child");
}
}  // namespace incrowd
