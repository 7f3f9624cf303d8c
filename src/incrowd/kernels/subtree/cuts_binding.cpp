// Python's view of what searches over cuts are about: a table of places, and genes to cut it by.
#include "requirements/binding.hpp"
#include "subtree/asked_cuts.hpp"
#include "subtree/genetic_chromosomes.hpp"

namespace incrowd {
namespace {
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
const char* const kCuts = "CutTable";
const char* const kGenes = "Chromosomes";

void set_sizes(CutTable& cuts, const Table& table, const Counts& sizes) {
    if (sizes.size() != table.columns()) refuse(kCuts, "one size per column is needed");
    for (size_t j = 0; j < sizes.size(); ++j) {
        const int64_t size = sizes.data()[j];
        if (size < 1 || size > kMost) refuse(kCuts, "a column has no places, or too many");
        if (size < table.sizes()[j]) refuse(kCuts, "a place is out of range");
        cuts.sizes.push_back(static_cast<int32_t>(size));
    }
}

void set_target(CutTable& cuts, const Ints& target) {
    if (target.size() != cuts.tuples) refuse(kCuts, "one class per tuple is needed");
    cuts.target = copied(target);
    for (const int32_t each : cuts.target) {
        if (each < 0 || each == kMost) refuse(kCuts, "a class is out of range");
        cuts.targets = std::max(cuts.targets, each + 1);
    }
}

void demand(CutTable& cuts, std::vector<size_t> columns, int64_t least) {
    if (least < 1 || least > cuts.n_records) refuse(kCuts, "no class can be as large as asked for");
    cuts.demands.push_back({std::move(columns), least});
}

// Classes over all columns have at least so many records.
void make_table(AskedTable* self, const Table& table, const Counts& sizes, const Ints& target,
                int64_t least) {
    if (table.size() == 0 || table.size() > kMost / 2) refuse(kCuts, "too few or too many tuples");
    const auto [places, records] = table.tuples();
    CutTable cuts;
    cuts.tuples = table.size();
    cuts.places.assign(places.begin(), places.end());
    cuts.records.assign(records.begin(), records.end());
    cuts.n_records = table.n_records();
    set_sizes(cuts, table, sizes);
    set_target(cuts, target);
    std::vector<size_t> all(table.columns());
    std::iota(all.begin(), all.end(), size_t{0});
    demand(cuts, std::move(all), least);
    new (self) AskedTable{std::move(cuts), {}};
}

void add_demand(AskedTable& self, const In<uint8_t, 1>& covers, int64_t least) {
    if (covers.size() != self.table.columns()) refuse(kCuts, "one mark per column is needed");
    std::vector<size_t> columns;
    for (size_t j = 0; j < covers.size(); ++j)
        if (covers.data()[j]) columns.push_back(j);
    demand(self.table, std::move(columns), least);
}

void add_promise(AskedTable& self, const Requirements& requirements, const Counts& position,
                 bool masks) {
    if (position.size() != self.table.columns()) refuse(kCuts, "one position per column is needed");
    check_about(kCuts, requirements, self.table.records, view(position));
    self.asked = {&requirements, {}, masks};
    for (const auto& covers : requirements.views()) {
        auto& columns = self.asked.views.emplace_back();
        for (size_t j = 0; j < position.size(); ++j)
            if (covers[static_cast<size_t>(position.data()[j])]) columns.push_back(j);
    }
}

void add_row(Chromosomes& self, const Reals& position, const Reals& alone, double weight,
             const In<uint8_t, 1>& may) {
    if (position.size() == 0 || position.size() > alone.size() + 1 ||
        may.size() + 1 != alone.size())
        refuse(kGenes, "a column's arrays do not fit together");
    self.add({.is_row = true,
              .position = copied(position),
              .alone = copied(alone),
              .leaves = static_cast<int32_t>(position.size()) - 1,
              .weight = weight,
              .may = copied(may)});
}

void check_tree(const GeneColumn& tree) {
    const size_t n = tree.low.size();
    if (tree.alone.empty() || tree.high.size() != n || tree.parent.size() != n ||
        tree.node_cost.size() != n)
        refuse(kGenes, "a column's arrays do not fit together");
    for (size_t at = 0; at < n; ++at) {
        const int32_t up = tree.parent[at], low = tree.low[at], high = tree.high[at];
        const bool before = up < static_cast<int32_t>(at);
        const bool inside = up < 0 || (before && tree.low[up] <= low && high <= tree.high[up]);
        if (!before || !inside || low < 0 || low >= high ||
            high > static_cast<int64_t>(tree.alone.size()))
            refuse(kGenes, "the nodes of a column are no tree");
    }
}

void add_tree(Chromosomes& self, const Ints& low, const Ints& high, const Ints& parent,
              const Reals& cost, const Reals& alone, double weight) {
    GeneColumn tree{.low = copied(low),
                    .high = copied(high),
                    .parent = copied(parent),
                    .node_cost = copied(cost),
                    .alone = copied(alone),
                    .weight = weight};
    check_tree(tree);
    self.add(std::move(tree));
}
}  // namespace

void bind_cuts(nb::module_& module) {
    nb::class_<AskedTable>(module, "CutTable")
        .def("__init__", &make_table, nb::arg("table"), nb::arg("sizes"), nb::arg("target"),
             nb::arg("least"))
        .def("demand", &add_demand, nb::arg("covers"), nb::arg("least"))
        .def("promise", &add_promise, nb::arg("requirements"), nb::arg("position"),
             nb::arg("masks"), nb::keep_alive<1, 2>());
    nb::class_<Chromosomes> genes(module, "Chromosomes");
    genes.def(nb::init<>());
    define(genes, "row", &add_row, "position", "alone", "weight", "may");
    define(genes, "tree", &add_tree, "low", "high", "parent", "cost", "alone", "weight");
}
}  // namespace incrowd
