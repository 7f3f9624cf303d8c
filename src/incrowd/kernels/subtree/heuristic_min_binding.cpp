// Python's view of the tables that HeuristicMin reaches.
#include "requirements/binding.hpp"
#include "subtree/heuristic_min.hpp"

namespace incrowd {
namespace {
const char* const kReached = "ReachedTables";

struct NodeTrees {
    std::vector<NodeTree> columns;
};

// Parents stand behind their children, which lie in them; what has nothing above it is its own.
bool is_sound(const NodeTree& tree) {
    const size_t n = tree.parent.size();
    if (n == 0 || tree.low.size() != n || tree.high.size() != n ||
        n > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        return false;
    const auto known = [n](int32_t node) { return node >= 0 && static_cast<size_t>(node) < n; };
    for (size_t node = 0; node < n; ++node) {
        const int32_t up = tree.parent[node], low = tree.low[node], high = tree.high[node];
        const bool above = known(up) && static_cast<size_t>(up) >= node;
        if (!above || low < 0 || low >= high || static_cast<size_t>(high) > tree.leaf.size() ||
            low < tree.low[up] || high > tree.high[up])
            return false;
    }
    return std::ranges::all_of(tree.leaf, known);
}

void add_node_tree(NodeTrees& trees, const Ints& low, const Ints& high, const Ints& parent,
                   const Ints& leaf) {
    NodeTree tree{copied(low), copied(high), copied(parent), copied(leaf)};
    if (!is_sound(tree)) refuse("NodeTrees", "a tree is damaged");
    trees.columns.push_back(std::move(tree));
}

// What the tables look at: trees of their own, and a table and requirements that Python keeps
// alive.
class OwnTables {
  public:
    OwnTables(const Table& table, const NodeTrees& trees, const Requirements& requirements,
              int64_t room)
        : tables_(fitting(table, trees, requirements), table.tuples(), requirements, room) {}

    ReachedTables& tables() { return tables_; }
    int32_t checked(int64_t table) const {
        if (table < 0 || static_cast<size_t>(table) >= tables_.size())
            refuse(kReached, "there is no such table");
        return static_cast<int32_t>(table);
    }

  private:
    static std::vector<NodeTree> fitting(const Table& table, const NodeTrees& trees,
                                         const Requirements& requirements) {
        check_about(kReached, requirements, table);
        if (table.size() == 0 || table.columns() != trees.columns.size())
            refuse(kReached, "the trees do not fit the table");
        for (size_t j = 0; j < table.columns(); ++j)
            if (table.sizes()[j] > std::ssize(trees.columns[j].leaf))
                refuse(kReached, "a code is out of range");
        return trees.columns;
    }

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
    nb::class_<NodeTrees> trees(module, "NodeTrees");
    trees.def(nb::init<>());
    define(trees, "tree", &add_node_tree, "low", "high", "parent", "leaf");
    nb::class_<OwnTables>(module, "ReachedTables")
        .def(nb::init<const Table&, const NodeTrees&, const Requirements&, int64_t>(),
             nb::arg("table"), nb::arg("trees"), nb::arg("requirements"), nb::arg("room"),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("steps", &steps_from, nb::arg("table"), nb::arg("most_new"))
        .def("figures", &figures_of, nb::arg("table"))
        .def("cuts", &cuts_of, nb::arg("table"));
}
}  // namespace incrowd
