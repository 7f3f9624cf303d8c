// Python's view of the tables that HeuristicMin reaches.
#include "core/binding.hpp"
#include "subtree/heuristic_min.hpp"

namespace incrowd {
namespace {
const char* const kReached = "ReachedTables";

NodeTree node_tree(nb::handle packed) {
    const auto given = nb::cast<nb::tuple>(packed);
    if (given.size() != 4) refuse(kReached, "a tree has four parts");
    NodeTree tree{array_in<int32_t>(given[0]), array_in<int32_t>(given[1]),
                  array_in<int32_t>(given[2]), array_in<int32_t>(given[3])};
    const size_t n = tree.parent.size();
    if (n == 0 || tree.low.size() != n || tree.high.size() != n ||
        n > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        refuse(kReached, "the parts of a tree do not fit together");
    for (size_t node = 0; node < n; ++node) {
        const int32_t up = tree.parent[node], low = tree.low[node], high = tree.high[node];
        const bool root = node + 1 == n;
        const bool above = root ? up == static_cast<int32_t>(node)
                                : up > static_cast<int32_t>(node) && static_cast<size_t>(up) < n;
        if (!above || low < 0 || low >= high || static_cast<size_t>(high) > tree.leaf.size() ||
            low < tree.low[up] || high > tree.high[up])
            refuse(kReached, "a tree is damaged");
    }
    for (const int32_t node : tree.leaf)
        if (node < 0 || static_cast<size_t>(node) >= n) refuse(kReached, "a leaf is out of range");
    return tree;
}

// What the tables look at: their own copy, and requirements that Python keeps alive.
class OwnTables {
  public:
    OwnTables(const Matrix& codes, const Counts& records, nb::list trees,
              const Requirements& requirements, int64_t room)
        : codes_(copied(codes)), records_(copied(records)),
          tables_(read_trees(codes, records, trees, requirements), {codes_, records_}, requirements,
                  room) {}

    ReachedTables& tables() { return tables_; }
    int32_t checked(int64_t table) const {
        if (table < 0 || static_cast<size_t>(table) >= tables_.size())
            refuse(kReached, "there is no such table");
        return static_cast<int32_t>(table);
    }

  private:
    struct Coded {
        int32_t n_codes;
    };
    static std::vector<NodeTree> read_trees(const Matrix& codes, const Counts& records,
                                            nb::list packed, const Requirements& requirements) {
        std::vector<NodeTree> trees;
        std::vector<Coded> columns;
        for (const nb::handle each : packed) {
            trees.push_back(node_tree(each));
            columns.push_back({static_cast<int32_t>(trees.back().leaf.size())});
        }
        read_tuples(kReached, codes, records, columns);
        bool fits = records.size() > 0 && requirements.kind().size() == records.size();
        for (const auto& covers : requirements.views())
            fits = fits && covers.size() == trees.size();
        if (!fits) refuse(kReached, "the requirements do not fit the table");
        return trees;
    }

    std::vector<int32_t> codes_;
    std::vector<int64_t> records_;
    ReachedTables tables_;
};

nb::tuple steps_from(OwnTables& self, int64_t table, int64_t most_new) {
    const int32_t from = self.checked(table);
    auto found = without_gil([&] { return self.tables().steps(from, most_new); });
    return hand_over(found.column, found.table, found.complete);
}

nb::tuple figures_of(OwnTables& self, int64_t table) {
    const RowFigures figures = self.tables().figures(self.checked(table));
    return nb::make_tuple(figures.rows, figures.violating);
}

nb::list cuts_of(OwnTables& self, int64_t table) {
    nb::list found;
    for (size_t j = 0; j < self.tables().columns(); ++j) {
        auto cut = self.tables().cut(self.checked(table), j);
        found.append(to_python(cut));
    }
    return found;
}
}  // namespace

void bind_heuristic_min(nb::module_& module) {
    nb::class_<OwnTables>(module, "ReachedTables")
        .def(nb::init<const Matrix&, const Counts&, nb::list, const Requirements&, int64_t>(),
             nb::arg("codes"), nb::arg("records"), nb::arg("trees"), nb::arg("requirements"),
             nb::arg("room"), nb::keep_alive<1, 5>())
        .def("steps", &steps_from, nb::arg("table"), nb::arg("most_new"))
        .def("figures", &figures_of, nb::arg("table"))
        .def("cuts", &cuts_of, nb::arg("table"));
}
}  // namespace incrowd
