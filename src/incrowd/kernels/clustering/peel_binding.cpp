// Python's view of peeling and carving, and of what classes cost.
#include "clustering/carve.hpp"
#include "clustering/local_search_binding.hpp"
#include "clustering/peel.hpp"

namespace incrowd {
namespace {
// Adds a level: the node of each code, and what it costs, which is what its codes span.
void add_level(LatticeColumn& column, const FixedColumn& shape, std::span<const int32_t> node) {
    const auto [least, most] = std::ranges::minmax_element(node);
    if (*least < 0 || *most >= shape.n_codes) refuse("levels", "a node is out of range");
    std::vector<int32_t> low(node.size(), shape.n_codes), high(node.size(), -1);
    for (int32_t code = 0; code < shape.n_codes; ++code) {
        low[node[code]] = std::min(low[node[code]], code);
        high[node[code]] = std::max(high[node[code]], code);
    }
    std::vector<int64_t> cost;
    for (const int32_t each : node) cost.push_back(shape.span_cost(low[each], high[each]));
    column.sizes.push_back(int64_t{*most} + 1);
    column.node.emplace_back(node.begin(), node.end());
    column.excess.push_back(std::move(cost));
}

// Cuts the flat (level, code) tables of all columns apart.
std::vector<LatticeColumn> read_levels(const FixedTable& table, const Ints& heights,
                                       const Ints& nodes) {
    if (heights.size() != table.columns.size()) refuse("levels", "one height per column is needed");
    std::vector<LatticeColumn> columns;
    size_t at = 0;
    for (size_t j = 0; j < heights.size(); ++j) {
        const auto width = static_cast<size_t>(table.columns[j].n_codes);
        if (heights.data()[j] < 0 || heights.data()[j] > 254)
            refuse("levels", "a height is out of range");
        LatticeColumn& column =
            columns.emplace_back(LatticeColumn{table.columns[j].n_codes, {}, {}, {}, 0});
        for (int32_t level = 0; level <= heights.data()[j]; ++level, at += width) {
            if (at + width > nodes.size()) refuse("levels", "a table is too short");
            add_level(column, table.columns[j], {nodes.data() + at, width});
        }
        if (column.sizes.back() != 1) refuse("levels", "the last one is not the root");
    }
    return columns;
}

void check_about(const Requirements* requirements, const Matrix& codes) {
    if (requirements != nullptr && requirements->kind().size() != codes.shape(1))
        refuse("classes", "the requirements are about another table");
}

nb::tuple peeled(nb::list columns, Matrix codes, int64_t k, Ints tuple_of, Ints class_of,
                 Counts records, Ints bucket_of, Ints heights, Ints nodes, int64_t work,
                 bool parts_break, size_t threads, const Requirements* requirements,
                 nb::object judge, Meter::Report report) {
    const FixedTable table = read_table(columns, codes, k);
    const auto levels = read_levels(table, heights, nodes);
    check_about(requirements, codes);
    auto buckets = read_buckets(table, tuple_of, class_of, records, bucket_of, 0);
    const ClassRules rules{requirements, ask(judge)};
    const Peeling how{work, parts_break};
    metered(report,
            [&](Meter& meter) { peel(table, levels, buckets, how, rules, threads, meter); });
    return handed_over(buckets);
}

nb::tuple carved(nb::list columns, Matrix codes, int64_t k, Ints tuple_of, Ints class_of,
                 Counts records, Ints bucket_of, Ints heights, Ints nodes, uint64_t work,
                 uint64_t seed, size_t threads, const Requirements* requirements, nb::object judge,
                 Meter::Report report) {
    const FixedTable table = read_table(columns, codes, k);
    const auto levels = read_levels(table, heights, nodes);
    check_about(requirements, codes);
    auto buckets = read_buckets(table, tuple_of, class_of, records, bucket_of, seed);
    const ClassRules rules{requirements, ask(judge)};
    metered(report,
            [&](Meter& meter) { carve(table, levels, buckets, work, rules, threads, meter); });
    return handed_over(buckets);
}

// By class: what its records lose together, on the scale of the search.
nb::object class_costs(nb::list columns, Matrix codes, Ints tuple_of, Ints class_of, Counts records,
                       size_t n_classes) {
    const FixedTable table = read_table(columns, codes, 1);
    std::vector<int32_t> bucket(n_classes, 0);
    const size_t shape[] = {n_classes};
    auto buckets =
        read_buckets(table, tuple_of, class_of, records, Ints(bucket.data(), 1, shape), 0);
    std::vector<int64_t> costs;
    for (const ClassBucket& each : buckets)
        for (const Region& region : each.classes) costs.push_back(total_cost(table, region));
    return nb::cast(to_python(costs));
}
}  // namespace

void bind_peel(nb::module_& module) {
    module.def("peel", &peeled, nb::arg("columns"), nb::arg("codes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("heights"), nb::arg("nodes"), nb::arg("work"), nb::arg("parts_break"),
               nb::arg("threads"), nb::arg("requirements").none(), nb::arg("judge").none(),
               nb::arg("report"));
    module.def("carve", &carved, nb::arg("columns"), nb::arg("codes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("heights"), nb::arg("nodes"), nb::arg("work"), nb::arg("seed"),
               nb::arg("threads"), nb::arg("requirements").none(), nb::arg("judge").none(),
               nb::arg("report"));
    define(module, "class_costs", &class_costs, "columns", "codes", "tuple_of", "class_of",
           "records", "n_classes");
}
}  // namespace incrowd
