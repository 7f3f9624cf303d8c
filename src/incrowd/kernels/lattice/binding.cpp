// Python's view of node counting and of the bounded search.
#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "core/arrays.hpp"
#include "lattice/bounded_search.hpp"

namespace incrowd {

namespace {

template <typename Array>
auto copied(const Array& array) {
    using T = std::remove_const_t<typename Array::Scalar>;
    return std::vector<T>(array.data(), array.data() + array.size());
}

// Cuts the flat (level, code) tables of all columns apart.
std::vector<LatticeColumn> make_columns(const In<std::int32_t, 1>& heights,
                                        const In<std::int64_t, 1>& codes,
                                        const In<std::int32_t, 1>& nodes,
                                        const In<std::int64_t, 1>& excess) {
    std::vector<LatticeColumn> columns;
    std::size_t at = 0;
    for (std::size_t j = 0; j < heights.size(); ++j) {
        if (heights.data()[j] < 0 || heights.data()[j] > 254 || codes.data()[j] < 1)
            throw std::invalid_argument("NodeCounter: a height or a domain size is out of range");
        const auto width = static_cast<std::size_t>(codes.data()[j]);
        LatticeColumn column{codes.data()[j], {}, {}, {}, 0};
        for (std::int32_t level = 0; level <= heights.data()[j]; ++level, at += width) {
            if (at + width > nodes.size() || at + width > excess.size())
                throw std::invalid_argument("NodeCounter: a level table is too short");
            column.node.emplace_back(nodes.data() + at, nodes.data() + at + width);
            column.excess.emplace_back(excess.data() + at, excess.data() + at + width);
            const auto [least, most] =
                std::minmax_element(column.node.back().begin(), column.node.back().end());
            if (*least < 0 || *most >= codes.data()[j])  // keys are packed by the domain sizes
                throw std::invalid_argument("NodeCounter: a node is out of range");
            column.sizes.push_back(std::int64_t{*most} + 1);
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

std::vector<MinimumSize> make_requirements(const In<std::uint8_t, 2>& covers,
                                           const In<std::int64_t, 1>& sizes, std::size_t columns) {
    if (covers.shape(0) != sizes.size() || (sizes.size() && covers.shape(1) != columns))
        throw std::invalid_argument("NodeCounter: the requirements do not fit the columns");
    std::vector<MinimumSize> requirements;
    for (std::size_t r = 0; r < sizes.size(); ++r)
        requirements.push_back(
            {{covers.data() + r * columns, covers.data() + (r + 1) * columns}, sizes.data()[r]});
    return requirements;
}

Judge make_judge(nb::object callable) {
    if (callable.is_none()) return {};
    return [callable](const Levels& levels, std::vector<std::uint8_t>& suppressed,
                      std::vector<std::uint8_t>& certain) {
        nb::gil_scoped_acquire acquire;
        Levels copy = levels;
        auto answer = nb::cast<nb::tuple>(callable(to_numpy(std::move(copy))));
        for (int part = 0; part < 2; ++part) {
            auto mask = nb::cast<In<std::uint8_t, 1>>(answer[part]);
            auto& into = part == 0 ? suppressed : certain;
            if (mask.size() != into.size())
                throw std::invalid_argument("NodeCounter: a mask has the wrong length");
            std::transform(mask.data(), mask.data() + mask.size(), into.begin(),
                           [](std::uint8_t marked) { return marked != 0; });
        }
    };
}

Levels checked(const NodeCounter& counter, const In<std::uint8_t, 1>& levels) {
    if (levels.size() != counter.columns().size())
        throw std::invalid_argument("NodeCounter: one level per column is needed");
    for (std::size_t j = 0; j < levels.size(); ++j)
        if (levels.data()[j] > counter.columns()[j].height())
            throw std::invalid_argument("NodeCounter: a level is above the root");
    return copied(levels);
}

template <typename T>
std::vector<T> of_length(const In<T, 1>& array, std::size_t length) {
    if (array.size() != length) throw std::invalid_argument("bounded_search: wrong array length");
    return copied(array);
}

}  // namespace

void bind_lattice(nb::module_& module) {
    nb::class_<NodeCount>(module, "NodeCount")
        .def_ro("suppressed", &NodeCount::suppressed)
        .def_ro("certain", &NodeCount::certain)
        .def_ro("classes", &NodeCount::classes)
        .def_ro("smallest", &NodeCount::smallest)
        .def_ro("squares", &NodeCount::squares)
        .def_ro("all_classes", &NodeCount::all_classes)
        .def_ro("all_squares", &NodeCount::all_squares)
        .def_prop_ro(
            "excess",
            [](const NodeCount& count) {
                auto copy = count.excess;
                return to_numpy(std::move(copy));
            },
            nb::rv_policy::move);

    nb::class_<NodeCounter>(module, "NodeCounter")
        .def(
            "__init__",
            [](NodeCounter* self, In<std::int32_t, 2> codes, In<std::int64_t, 1> records,
               In<std::int32_t, 1> heights, In<std::int64_t, 1> n_codes, In<std::int32_t, 1> nodes,
               In<std::int64_t, 1> excess, In<std::uint8_t, 2> covers, In<std::int64_t, 1> sizes,
               nb::object judge) {
                if (codes.shape(0) != heights.size() || codes.shape(1) != records.size() ||
                    n_codes.size() != heights.size())
                    throw std::invalid_argument("NodeCounter: the arrays do not fit together");
                new (self) NodeCounter(
                    copied(codes), copied(records), make_columns(heights, n_codes, nodes, excess),
                    make_requirements(covers, sizes, heights.size()), make_judge(std::move(judge)));
            },
            nb::arg("codes"), nb::arg("records"), nb::arg("heights"), nb::arg("n_codes"),
            nb::arg("nodes"), nb::arg("excess"), nb::arg("covers"), nb::arg("sizes"),
            nb::arg("judge").none())
        .def(
            "count",
            [](NodeCounter& self, In<std::uint8_t, 1> levels, bool with_classes,
               std::int64_t limit) {
                return self.count(checked(self, levels), with_classes, limit);
            },
            nb::arg("levels"), nb::arg("with_classes"), nb::arg("limit"))
        .def(
            "class_sizes",
            [](NodeCounter& self, In<std::uint8_t, 1> levels) {
                return to_numpy(self.class_sizes(checked(self, levels)));
            },
            nb::arg("levels"));

    module.def(
        "bounded_search",
        [](NodeCounter& counter, int objective, In<double, 1> weight, In<double, 1> scale,
           In<std::int64_t, 1> base, double divisor, std::int64_t limit, std::int64_t node_limit,
           double time_limit, std::function<bool(std::int64_t, double, double)> report) {
            if (objective < 0 || objective > static_cast<int>(Objective::average_class_size))
                throw std::invalid_argument("bounded_search: no such objective");
            const std::size_t d = counter.columns().size();
            SearchProblem problem{static_cast<Objective>(objective),
                                  of_length(weight, d),
                                  of_length(scale, d),
                                  of_length(base, counter.slots()),
                                  divisor,
                                  limit,
                                  node_limit,
                                  time_limit};
            SearchResult result;
            {
                nb::gil_scoped_release release;
                result = bounded_search(counter, problem, report);
            }
            return nb::make_tuple(to_numpy(std::move(result.levels)), result.value, result.bound,
                                  result.found, result.optimal, result.counted);
        },
        nb::arg("counter"), nb::arg("objective"), nb::arg("weight"), nb::arg("scale"),
        nb::arg("base"), nb::arg("divisor"), nb::arg("limit"), nb::arg("node_limit"),
        nb::arg("time_limit"), nb::arg("report"));
}

}  // namespace incrowd
