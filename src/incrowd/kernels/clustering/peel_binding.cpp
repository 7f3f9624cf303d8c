// Python's view of peeling and carving, and of what classes cost.
#include "clustering/carve.hpp"
#include "clustering/local_search_binding.hpp"
#include "clustering/peel.hpp"

namespace incrowd {
namespace {
// By code: what its node costs, which is what the codes of the node span.
std::vector<int64_t> costs_of(const FixedColumn& shape, std::span<const int32_t> node) {
    std::vector<int32_t> low(node.size(), shape.n_codes), high(node.size(), -1);
    for (int32_t code = 0; code < shape.n_codes; ++code) {
        low[node[code]] = std::min(low[node[code]], code);
        high[node[code]] = std::max(high[node[code]], code);
    }
    std::vector<int64_t> cost;
    for (const int32_t each : node) cost.push_back(shape.span_cost(low[each], high[each]));
    return cost;
}

// The levels of all columns with the costs of the table.
std::vector<LatticeColumn> priced(const FixedTable& table, const LevelTables& levels) {
    auto columns = levels.columns;
    if (columns.size() != table.columns.size()) refuse("levels", "one table per column is needed");
    for (size_t j = 0; j < columns.size(); ++j) {
        const FixedColumn& shape = table.columns[j];
        if (columns[j].codes != shape.n_codes || columns[j].sizes.back() != 1)
            refuse("levels", "a column has other codes, or its last level is not the root");
        for (size_t level = 0; level < columns[j].node.size(); ++level)
            columns[j].excess[level] = costs_of(shape, columns[j].node[level]);
    }
    return columns;
}

nb::tuple peeled(const Table& table, const Shapes& shapes, int64_t k, Ints tuple_of, Ints class_of,
                 Counts records, Ints bucket_of, const LevelTables& levels, int64_t work,
                 bool parts_break, size_t threads, const Requirements* requirements,
                 nb::object judge, Meter::Report report) {
    const FixedTable fixed = fixed_table(table, shapes, k);
    const auto columns = priced(fixed, levels);
    check_asked(requirements, table);
    auto buckets = read_buckets(fixed, tuple_of, class_of, records, bucket_of, 0);
    const ClassRules rules{requirements, ask(judge)};
    const Peeling how{work, parts_break};
    metered(report,
            [&](Meter& meter) { peel(fixed, columns, buckets, how, rules, threads, meter); });
    return handed_over(buckets);
}

nb::tuple carved(const Table& table, const Shapes& shapes, int64_t k, Ints tuple_of, Ints class_of,
                 Counts records, Ints bucket_of, const LevelTables& levels, uint64_t work,
                 uint64_t seed, size_t threads, const Requirements* requirements, nb::object judge,
                 Meter::Report report) {
    const FixedTable fixed = fixed_table(table, shapes, k);
    const auto columns = priced(fixed, levels);
    check_asked(requirements, table);
    auto buckets = read_buckets(fixed, tuple_of, class_of, records, bucket_of, seed);
    const ClassRules rules{requirements, ask(judge)};
    metered(report,
            [&](Meter& meter) { carve(fixed, columns, buckets, work, rules, threads, meter); });
    return handed_over(buckets);
}

// By class: what its records lose together, on the scale of the search.
nb::object class_costs(const Table& table, const Shapes& shapes, Ints tuple_of, Ints class_of,
                       Counts records, size_t n_classes) {
    const FixedTable fixed = fixed_table(table, shapes, 1);
    std::vector<int32_t> bucket(n_classes, 0);
    const size_t shape[] = {n_classes};
    auto buckets =
        read_buckets(fixed, tuple_of, class_of, records, Ints(bucket.data(), 1, shape), 0);
    std::vector<int64_t> costs;
    for (const ClassBucket& each : buckets)
        for (const Region& region : each.classes) costs.push_back(total_cost(fixed, region));
    return nb::cast(to_python(costs));
}
}  // namespace

void bind_peel(nb::module_& module) {
    module.def("peel", &peeled, nb::arg("table"), nb::arg("shapes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("levels"), nb::arg("work"), nb::arg("parts_break"), nb::arg("threads"),
               nb::arg("requirements").none(), nb::arg("judge").none(), nb::arg("report"));
    module.def("carve", &carved, nb::arg("table"), nb::arg("shapes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("levels"), nb::arg("work"), nb::arg("seed"), nb::arg("threads"),
               nb::arg("requirements").none(), nb::arg("judge").none(), nb::arg("report"));
    define(module, "class_costs", &class_costs, "table", "shapes", "tuple_of", "class_of",
           "records", "n_classes");
}
}  // namespace incrowd
