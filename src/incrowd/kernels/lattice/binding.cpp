// Python's view of node counting and of the bounded search.
#include "requirements/binding.hpp"

#include "lattice/bounded_search.hpp"
#include "lattice/fall_guess.hpp"

namespace incrowd {
namespace {
// Adds a column: by level and code its node, and what suppressing a record there costs more.
void add_column(LevelTables& tables, const Matrix& node, const In<int64_t, 2>& excess) {
    const size_t levels = node.shape(0), codes = node.shape(1);
    if (levels < 1 || levels > 255 || codes < 1 || excess.shape(0) != levels ||
        excess.shape(1) != codes)
        refuse("LevelTables", "the levels of a column do not fit together");
    LatticeColumn column{static_cast<int64_t>(codes),     {}, {}, {}, 0,
                         static_cast<uint8_t>(levels - 1)};
    for (size_t level = 0; level < levels; ++level) {
        const auto nodes = view(node).subspan(level * codes, codes);
        const auto own = view(excess).subspan(level * codes, codes);
        const auto [least, most] = std::ranges::minmax(nodes);
        if (least < 0 || most >= column.codes)  // keys are packed by the domain sizes
            refuse("LevelTables", "a node is out of range");
        column.node.emplace_back(nodes.begin(), nodes.end());
        column.excess.emplace_back(own.begin(), own.end());
        column.sizes.push_back(int64_t{most} + 1);
    }
    tables.columns.push_back(std::move(column));
}

// Lets the last column rise to a level and no further.
void stop_at(LevelTables& tables, int64_t level) {
    if (tables.columns.empty() || level < 0 || level > tables.columns.back().height())
        refuse("LevelTables", "there is no such level to stop at");
    tables.columns.back().last = static_cast<uint8_t>(level);
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
    const auto make = [](NodeCounter* self, const Table& table, const LevelTables& levels,
                         const Requirements& requirements, bool masks, nb::object judge) {
        if (table.columns() != levels.columns.size())
            refuse("NodeCounter", "one column of levels per column is needed");
        check_about("NodeCounter", requirements, table);
        const auto [codes, records] = table.tuples();
        new (self) NodeCounter(codes, records, levels.columns, requirements, masks,
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
    const auto told_beyond = [](NodeCounter& self, In<uint8_t, 1> others, size_t column,
                                uint8_t level) {
        if (column >= self.columns().size() || level > self.columns()[column].height())
            refuse("NodeCounter", "there is no such column or level");
        Information information(self.columns(), self.sample(), self.slots());
        return information.beyond(checked(self, others), self.top(), column, level);
    };
    nb::class_<LevelTables>(module, "LevelTables")
        .def(nb::init<>())
        .def("column", &add_column, nb::arg("node"), nb::arg("excess"))
        .def("stop_at", &stop_at, nb::arg("level"));
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
        .def("__init__", make, nb::arg("table"), nb::arg("levels"), nb::arg("requirements"),
             nb::arg("masks"), nb::arg("judge").none(), nb::keep_alive<1, 4>())
        .def("count", count, nb::arg("levels"), nb::arg("with_classes"), nb::arg("limit"))
        .def("class_sizes", class_sizes, nb::arg("levels"))
        .def("told_beyond", told_beyond, nb::arg("others"), nb::arg("column"), nb::arg("level"));
}

// Guesses decide only what the bounded search tries first: bound for their twin.
void bind_guess(nb::module_& module) {
    const auto make = [](FallGuess* self, In<uint8_t, 1> top) {
        new (self) FallGuess(copied(top));
    };
    const auto learn = [](FallGuess& self, In<uint8_t, 1> from, int64_t fell, In<uint8_t, 1> to,
                          int64_t fall) {
        const Levels here = copied(from), there = copied(to);
        if (!self.has(here) || !self.has(there)) refuse("FallGuess", "there is no such node");
        if (fell < 0 || fall < 0) refuse("FallGuess", "fewer than no records");
        self.learn(here, fell, there, fall);
    };
    const auto more = [](const FallGuess& self, In<uint8_t, 1> from, In<uint8_t, 1> to) {
        const Levels here = copied(from), there = copied(to);
        if (!self.has(here) || !self.has(there)) refuse("FallGuess", "there is no such node");
        int64_t sum = 0;
        for (size_t j = 0; j < here.size(); ++j) sum += self.more(j, here[j], there[j]);
        return sum;
    };
    nb::class_<FallGuess>(module, "FallGuess")
        .def("__init__", make, nb::arg("top"))
        .def("learn", learn, nb::arg("from_"), nb::arg("fell"), nb::arg("to"), nb::arg("fall"))
        .def("more", more, nb::arg("from_"), nb::arg("to"))
        .def_static("logarithm", &FallGuess::logarithm, nb::arg("records"))
        .def_static("records", &FallGuess::records, nb::arg("logarithm"));
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
    bind_guess(module);
    define(module, "bounded_search", &search, "counter", "objective", "weight", "scale", "base",
           "divisor", "limit", "node_limit", "time_limit", "report");
}
}  // namespace incrowd
