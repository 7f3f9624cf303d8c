// Python's view of the peeling.
#include "clustering/carve.hpp"
#include "clustering/local_search_binding.hpp"
#include "clustering/peel.hpp"

namespace incrowd {
namespace {
// Cuts the flat (level, code) tables of all columns apart; what a node costs is what its codes span.
std::vector<LatticeColumn> read_levels(const FixedTable& table, const Ints& heights,
                                       const Ints& nodes) {
    std::vector<LatticeColumn> columns;
    size_t at = 0;
    for (size_t j = 0; j < table.columns.size(); ++j) {
        const FixedColumn& shape = table.columns[j];
        const auto width = static_cast<size_t>(shape.n_codes);
        LatticeColumn column{shape.n_codes, {}, {}, {}, 0};
        if (j >= heights.size() || heights.data()[j] < 0 || heights.data()[j] > 254)
            refuse("peel", "a height is out of range");
        for (int32_t level = 0; level <= heights.data()[j]; ++level, at += width) {
            if (at + width > nodes.size()) refuse("peel", "a level table is too short");
            const std::span<const int32_t> node(nodes.data() + at, width);
            const auto [least, most] = std::ranges::minmax_element(node);
            if (*least < 0 || *most >= shape.n_codes) refuse("peel", "a node is out of range");
            column.sizes.push_back(int64_t{*most} + 1);
            column.node.emplace_back(node.begin(), node.end());
            std::vector<int32_t> low(width, shape.n_codes), high(width, -1);
            for (int32_t code = 0; code < shape.n_codes; ++code) {
                low[node[code]] = std::min(low[node[code]], code);
                high[node[code]] = std::max(high[node[code]], code);
            }
            auto& cost = column.excess.emplace_back();
            for (const int32_t each : node)
                cost.push_back(shape.span_cost(low[each], high[each]));
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

nb::tuple peeled(nb::list columns, Matrix codes, Counts records, int64_t k, Ints heights,
                 Ints nodes, int64_t least, int64_t most, bool parts_fail,
                 const Requirements* requirements, nb::object judge, Meter::Report report) {
    const FixedTable table = read_table(columns, codes, k);
    if (records.size() != codes.shape(1))
        refuse("peel", "one number of records per tuple is needed");
    int64_t sum = 0;
    for (const int64_t each : view(records)) {
        if (each < 1) refuse("peel", "a tuple has no records");
        sum += each;
    }
    if (sum < k || least < 1) refuse("peel", "fewer records than one class needs");
    if (requirements != nullptr && requirements->kind().size() != codes.shape(1))
        refuse("peel", "the requirements are about another table");
    auto levels = read_levels(table, heights, nodes);
    const std::vector<int64_t> counts = copied(records);
    const ClassRules rules{requirements, ask(judge)};
    const Peeling how{least, most, parts_fail};
    std::vector<ClassBucket> found(1);
    found[0].classes = metered(report, [&](Meter& meter) {
        return peel(table, counts, std::move(levels), how, rules, meter);
    });
    return handed_over(found);
}
nb::tuple carved(nb::list columns, Matrix codes, int64_t k, Ints tuple_of, Ints class_of,
                 Counts records, Ints bucket_of, Ints heights, Ints nodes, uint64_t work,
                 uint64_t seed, size_t threads, const Requirements* requirements, nb::object judge,
                 Meter::Report report) {
    const FixedTable table = read_table(columns, codes, k);
    const auto levels = read_levels(table, heights, nodes);
    auto buckets = read_buckets(table, tuple_of, class_of, records, bucket_of, seed);
    const ClassRules rules{requirements, ask(judge)};
    metered(report,
            [&](Meter& meter) { carve(table, levels, buckets, work, rules, threads, meter); });
    return handed_over(buckets);
}
}  // namespace

void bind_peel(nb::module_& module) {
    module.def("carve", &carved, nb::arg("columns"), nb::arg("codes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("heights"), nb::arg("nodes"), nb::arg("work"), nb::arg("seed"),
               nb::arg("threads"), nb::arg("requirements").none(), nb::arg("judge").none(),
               nb::arg("report"));
    module.def("peel", &peeled, nb::arg("columns"), nb::arg("codes"), nb::arg("records"),
               nb::arg("k"), nb::arg("heights"), nb::arg("nodes"), nb::arg("least"),
               nb::arg("most"), nb::arg("parts_fail"), nb::arg("requirements").none(),
               nb::arg("judge").none(), nb::arg("report"));
}
}  // namespace incrowd
