// Python's view of K-Optimize and of the genetic search.
#include "core/binding.hpp"

#include "subtree/genetic.hpp"
#include "subtree/k_optimize.hpp"

namespace incrowd {
namespace {
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

void check_places(const CutTable& table) {
    for (size_t j = 0; j < table.columns(); ++j) {
        if (table.sizes[j] < 1) refuse("cuts", "a column has no places");
        for (size_t i = 0; i < table.tuples; ++i)
            if (table.column(j)[i] < 0 || table.column(j)[i] >= table.sizes[j])
                refuse("cuts", "a place is out of range");
    }
}

void read_demands(CutTable& table, const In<uint8_t, 2>& covers, const Counts& least) {
    for (size_t r = 0; r < least.size(); ++r) {
        Demand demand{{}, least.data()[r]};
        for (size_t j = 0; j < table.columns(); ++j)
            if (covers.data()[r * table.columns() + j]) demand.columns.push_back(j);
        if (demand.size < 1 || demand.size > table.n_records)
            refuse("cuts", "no class can be as large as asked for");
        table.demands.push_back(std::move(demand));
    }
    if (table.demands.empty() || table.demands[0].columns.size() != table.columns())
        refuse("cuts", "the first classes are those over all columns");
}

// Reads and checks a table; `covers` says by demand and column whether the demand covers it.
CutTable cut_table(const Matrix& places, const Counts& sizes, const Counts& records,
                   const Ints& target, const In<uint8_t, 2>& covers, const Counts& least) {
    CutTable table;
    table.tuples = places.shape(1);
    const size_t d = places.shape(0);
    if (sizes.size() != d || covers.shape(1) != d || covers.shape(0) != least.size())
        refuse("cuts", "one size and one mark per column are needed");
    if (records.size() != table.tuples || target.size() != table.tuples)
        refuse("cuts", "one count and one class per tuple are needed");
    if (table.tuples == 0 || table.tuples > kMost / 2) refuse("cuts", "too few or too many tuples");
    for (const int64_t size : view(sizes)) {
        if (size > kMost) refuse("cuts", "a column is too long");
        table.sizes.push_back(static_cast<int32_t>(size));
    }
    table.places = copied(places);
    check_places(table);
    table.records = copied(records);
    for (const int64_t each : table.records)
        if (each < 1 || __builtin_add_overflow(table.n_records, each, &table.n_records))
            refuse("cuts", "a count is out of range");
    table.target = copied(target);
    for (const int32_t each : table.target) {
        if (each < 0 || each == kMost) refuse("cuts", "a class is out of range");
        table.targets = std::max(table.targets, each + 1);
    }
    read_demands(table, covers, least);
    return table;
}

// (requirements, positions of the columns in the table, whether suppressed records may stay), or
// None.
AskedOfCuts asked_of(nb::handle packed, const CutTable& table) {
    AskedOfCuts asked;
    if (packed.is_none()) return asked;
    const auto given = nb::cast<nb::tuple>(packed);
    if (given.size() != 3) refuse("cuts", "what is asked has three parts");
    asked.requirements = &nb::cast<const Requirements&>(given[0]);
    asked.masks = nb::cast<bool>(given[2]);
    const auto position = array_in<int64_t>(given[1]);
    if (position.size() != table.columns() || asked.requirements->kind().size() != table.tuples)
        refuse("cuts", "the requirements do not fit the table");
    for (const auto& covers : asked.requirements->views()) {
        asked.views.emplace_back();
        for (size_t j = 0; j < position.size(); ++j) {
            if (position[j] < 0 || static_cast<size_t>(position[j]) >= covers.size())
                refuse("cuts", "the requirements do not fit the table");
            if (covers[static_cast<size_t>(position[j])]) asked.views.back().push_back(j);
        }
    }
    return asked;
}

void check(const GeneColumn& column, int32_t places) {
    const bool fits =
        static_cast<int32_t>(column.alone.size()) == places && column.leaves >= 0 &&
        column.leaves <= places &&
        column.position.size() == static_cast<size_t>(column.leaves) + 1 &&
        column.low.size() == column.high.size() && column.low.size() == column.parent.size() &&
        column.low.size() == column.node_cost.size() && column.may.size() == column.genes();
    if (!fits) refuse("genetic", "a column's arrays do not fit together");
    for (size_t at = 0; at < column.low.size(); ++at) {
        const int32_t up = column.parent[at], low = column.low[at], high = column.high[at];
        const bool before = up < static_cast<int32_t>(at);
        const bool inside = up < 0 || (before && column.low[up] <= low && high <= column.high[up]);
        if (!before || !inside || low < 0 || low >= high || high > places)
            refuse("genetic", "the nodes of a column are no tree");
    }
}

std::vector<GeneColumn> gene_columns(nb::list columns, const CutTable& table) {
    if (columns.size() != table.columns())
        refuse("genetic", "one description per column is needed");
    std::vector<GeneColumn> read;
    for (nb::handle each : columns) {
        const auto given = nb::cast<nb::tuple>(each);
        if (given.size() != 10) refuse("genetic", "a column is described by ten things");
        read.push_back({nb::cast<bool>(given[0]), array_in<int32_t>(given[1]),
                        array_in<int32_t>(given[2]), array_in<int32_t>(given[3]),
                        array_in<double>(given[4]), array_in<double>(given[5]),
                        array_in<double>(given[6]), nb::cast<int32_t>(given[7]),
                        nb::cast<double>(given[8]), array_in<uint8_t>(given[9])});
        check(read.back(), table.sizes[read.size() - 1]);
    }
    return read;
}

nb::tuple bred(Matrix places, Counts sizes, Counts records, Ints target, In<uint8_t, 2> covers,
               Counts least, nb::list columns, bool by_target, int64_t most_suppressed,
               int64_t population, int64_t evaluations, double crossover, double mutation,
               uint64_t seed, Meter::Report report, nb::object promised) {
    if (most_suppressed < 0 || population < 2 || evaluations < 1)
        refuse("genetic", "a number is out of range");
    const CutTable table = cut_table(places, sizes, records, target, covers, least);
    const AskedOfCuts asked = asked_of(promised, table);
    const Chromosomes chromosomes(gene_columns(columns, table));
    const GeneticOptions options{by_target, most_suppressed, population, evaluations,
                                 crossover, mutation,        seed};
    auto best = metered(
        report, [&](Meter& meter) { return genetic(table, asked, chromosomes, options, meter); });
    return hand_over(best.genes, best.cost, best.evaluated);
}

nb::tuple optimized(Matrix places, Counts sizes, Counts records, Ints target, In<uint8_t, 2> covers,
                    Counts least, Ints item_of, Ints parent, bool by_target,
                    int64_t most_suppressed, int64_t work_limit, int64_t node_limit,
                    double time_limit, Meter::Report report, nb::object promised) {
    if (most_suppressed < 0 || work_limit < 1 || node_limit < 1 || !(time_limit > 0))
        refuse("k_optimize", "a limit is out of range");
    std::vector<uint8_t> made;
    const CutTable table = cut_table(places, sizes, records, target, covers, least);
    const AskedOfCuts asked = asked_of(promised, table);
    const KOptimized found = metered(report, [&](Meter& meter) {
        const SplitItems items(table, view(item_of), view(parent));
        made.assign(items.size(), 0);
        return k_optimize(table, asked, items, by_target,
                          {most_suppressed, work_limit, node_limit, time_limit}, meter);
    });
    for (const int32_t item : found.items) made[item] = 1;
    return hand_over(made, found.cost, found.bound, found.ended, found.nodes);
}
}  // namespace

void bind_subtree(nb::module_& module) {
    const auto promised = nb::arg("promised") = nb::none();
    module.def("genetic", &bred, nb::arg("places"), nb::arg("sizes"), nb::arg("records"),
               nb::arg("target"), nb::arg("covers"), nb::arg("least"), nb::arg("columns"),
               nb::arg("by_target"), nb::arg("most_suppressed"), nb::arg("population"),
               nb::arg("evaluations"), nb::arg("crossover"), nb::arg("mutation"), nb::arg("seed"),
               nb::arg("report"), promised);
    module.def("k_optimize", &optimized, nb::arg("places"), nb::arg("sizes"), nb::arg("records"),
               nb::arg("target"), nb::arg("covers"), nb::arg("least"), nb::arg("item_of"),
               nb::arg("parent"), nb::arg("by_target"), nb::arg("most_suppressed"),
               nb::arg("work_limit"), nb::arg("node_limit"), nb::arg("time_limit"),
               nb::arg("report"), promised);
}
}  // namespace incrowd
