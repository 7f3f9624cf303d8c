// Python's view of node counting and of the bounded search.
#include "core/binding.hpp"

#include "lattice/bounded_search.hpp"

namespace incrowd {
namespace {
// Cuts the flat (level, code) tables of all columns apart.
std::vector<LatticeColumn> make_columns(const Ints& heights, const Counts& codes, const Ints& nodes,
                                        const Counts& excess) {
    std::vector<LatticeColumn> columns;
    size_t at = 0;
    for (size_t j = 0; j < heights.size(); ++j) {
        if (heights.data()[j] < 0 || heights.data()[j] > 254 || codes.data()[j] < 1)
            refuse("NodeCounter", "a height or a domain size is out of range");
        const auto width = static_cast<size_t>(codes.data()[j]);
        LatticeColumn column{codes.data()[j], {}, {}, {}, 0};
        for (int32_t level = 0; level <= heights.data()[j]; ++level, at += width) {
            if (at + width > nodes.size() || at + width > excess.size())
                refuse("NodeCounter", "a level table is too short");
            column.node.emplace_back(nodes.data() + at, nodes.data() + at + width);
            column.excess.emplace_back(excess.data() + at, excess.data() + at + width);
            const auto [least, most] =
                std::minmax_element(column.node.back().begin(), column.node.back().end());
            if (*least < 0 || *most >= codes.data()[j])  // keys are packed by the domain sizes
                refuse("NodeCounter", "a node is out of range");
            column.sizes.push_back(int64_t{*most} + 1);
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

Judge make_judge(nb::object callable) {
    if (callable.is_none()) return {};
    return [callable](const Levels& levels, std::vector<uint8_t>& suppressed,
                      std::vector<uint8_t>& certain) {
        nb::gil_scoped_acquire acquire;
        Levels copy = levels;
        auto answer = nb::cast<nb::tuple>(callable(to_python(copy)));
        for (int part = 0; part < 2; ++part) {
            auto mask = nb::cast<In<uint8_t, 1>>(answer[part]);
            auto& into = part == 0 ? suppressed : certain;
            if (mask.size() != into.size()) refuse("NodeCounter", "a mask has the wrong length");
            std::transform(mask.data(), mask.data() + mask.size(), into.begin(),
                           [](uint8_t marked) { return marked != 0; });
        }
    };
}

Levels checked(const NodeCounter& counter, const In<uint8_t, 1>& levels) {
    if (levels.size() != counter.columns().size())
        refuse("NodeCounter", "one level per column is needed");
    for (size_t j = 0; j < levels.size(); ++j)
        if (levels.data()[j] > counter.columns()[j].height())
            refuse("NodeCounter", "a level is above the root");
    return copied(levels);
}

template <typename T>
std::vector<T> of_length(const In<T, 1>& array, size_t length) {
    if (array.size() != length) refuse("bounded_search", "wrong array length");
    return copied(array);
}

void bind_counter(nb::module_& module) {
    const auto excess = [](const NodeCount& count) {
        auto copy = count.excess;
        return to_python(copy);
    };
    const auto make = [](NodeCounter* self, Matrix codes, Counts records, Ints heights,
                         Counts n_codes, Ints nodes, Counts excess,
                         const Requirements& requirements, bool masks, nb::object judge) {
        if (codes.shape(0) != heights.size() || codes.shape(1) != records.size() ||
            n_codes.size() != heights.size() || requirements.kind().size() != records.size())
            refuse("NodeCounter", "the arrays do not fit together");
        for (const auto& covers : requirements.views())
            if (covers.size() != heights.size())
                refuse("NodeCounter", "the requirements do not fit the columns");
        new (self) NodeCounter(copied(codes), copied(records),
                               make_columns(heights, n_codes, nodes, excess), requirements, masks,
                               make_judge(std::move(judge)));
    };
    const auto count = [](NodeCounter& self, In<uint8_t, 1> levels, bool with_classes,
                          int64_t limit) {
        return self.count(checked(self, levels), with_classes, limit);
    };
    const auto class_sizes = [](NodeCounter& self, In<uint8_t, 1> levels) {
        auto sizes = self.class_sizes(checked(self, levels));
        return to_python(sizes);
    };
    nb::class_<NodeCount>(module, "NodeCount")
        .def_ro("suppressed", &NodeCount::suppressed)
        .def_ro("certain", &NodeCount::certain)
        .def_ro("classes", &NodeCount::classes)
        .def_ro("smallest", &NodeCount::smallest)
        .def_ro("squares", &NodeCount::squares)
        .def_ro("all_classes", &NodeCount::all_classes)
        .def_ro("all_squares", &NodeCount::all_squares)
        .def_prop_ro("excess", excess, nb::rv_policy::move);
    nb::class_<NodeCounter>(module, "NodeCounter")
        .def("__init__", make, nb::arg("codes"), nb::arg("records"), nb::arg("heights"),
             nb::arg("n_codes"), nb::arg("nodes"), nb::arg("excess"), nb::arg("requirements"),
             nb::arg("masks"), nb::arg("judge").none(), nb::keep_alive<1, 8>())
        .def("count", count, nb::arg("levels"), nb::arg("with_classes"), nb::arg("limit"))
        .def("class_sizes", class_sizes, nb::arg("levels"));
}

nb::tuple search(NodeCounter& counter, int objective, Reals weight, Reals scale, Counts base,
                 double divisor, int64_t limit, int64_t node_limit, double time_limit,
                 Report report) {
    if (objective < 0 || objective > static_cast<int>(Objective::average_class_size))
        refuse("bounded_search", "no such objective");
    const size_t d = counter.columns().size();
    const SearchProblem problem{static_cast<Objective>(objective),
                                of_length(weight, d),
                                of_length(scale, d),
                                of_length(base, counter.slots()),
                                divisor,
                                limit,
                                node_limit,
                                time_limit};
    auto found = without_gil([&] { return bounded_search(counter, problem, report); });
    return hand_over(found.levels, found.value, found.bound, found.found, found.optimal,
                     found.counted);
}
}  // namespace

void bind_lattice(nb::module_& module) {
    bind_counter(module);
    define(module, "bounded_search", &search, "counter", "objective", "weight", "scale", "base",
           "divisor", "limit", "node_limit", "time_limit", "report");
}
}  // namespace incrowd
