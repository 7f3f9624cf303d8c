// Python's view of the shapes of classes: one method per kind of column.
#include "clustering/class_shapes.hpp"
#include "core/binding.hpp"

namespace incrowd {
namespace {
const char* const kShapes = "Shapes";

// Parents stand behind their children, and the root, which is its own, covers all codes.
bool is_tree(const ShapeColumn& column) {
    const size_t n = column.parent.size();
    const auto nodes = static_cast<int32_t>(n);
    if (n == 0 || column.low.size() != n || column.high.size() != n || column.cost.size() != n)
        return false;
    const int32_t first = column.low.back(), end = column.high.back();
    for (int32_t node = 0; node < nodes; ++node)
        if (column.parent[node] < node || column.parent[node] >= nodes ||
            column.low[node] < first || column.high[node] > end)
            return false;
    const auto known = [nodes](int32_t node) { return node >= 0 && node < nodes; };
    return first <= 0 && end >= column.n_codes && std::ranges::all_of(column.node_of, known);
}

void add(Shapes& shapes, ShapeColumn&& column, size_t n_codes) {
    if (n_codes > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        refuse(kShapes, "a column has too many codes");
    column.n_codes = static_cast<int32_t>(n_codes);
    if (column.kind == ShapeColumn::kTree && !is_tree(column)) refuse(kShapes, "a tree is damaged");
    shapes.columns.push_back(std::move(column));
}

void add_tree(Shapes& shapes, const Ints& node_of, const Ints& parent, const Ints& low,
              const Ints& high, const Reals& cost) {
    ShapeColumn column{.kind = ShapeColumn::kTree,
                       .node_of = copied(node_of),
                       .parent = copied(parent),
                       .low = copied(low),
                       .high = copied(high),
                       .cost = copied(cost)};
    add(shapes, std::move(column), node_of.size());
}

void add_line(Shapes& shapes, const Reals& place, double mixed) {
    ShapeColumn column{.kind = ShapeColumn::kLine, .place = copied(place), .mixed = mixed};
    add(shapes, std::move(column), place.size());
}

void add_set(Shapes& shapes, const Reals& cost) {
    if (cost.size() == 0) refuse(kShapes, "a set of no values has a cost too");
    add(shapes, {.kind = ShapeColumn::kSet, .cost = copied(cost)}, cost.size() - 1);
}
}  // namespace

void bind_shapes(nb::module_& module) {
    nb::class_<Shapes> shapes(module, "Shapes");
    shapes.def(nb::init<>());
    define(shapes, "tree", &add_tree, "node_of", "parent", "low", "high", "cost");
    define(shapes, "line", &add_line, "place", "mixed");
    define(shapes, "set", &add_set, "cost");
}
}  // namespace incrowd
