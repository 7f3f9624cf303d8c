// Python's view of InfoGain Mondrian.  Twin: tests/naive/infogain.py.
#include <nanobind/stl/function.h>

#include <limits>
#include <stdexcept>

#include "core/arrays.hpp"
#include "regions/entropy_cuts.hpp"

namespace incrowd {

namespace {

using region_search::AllowableCut;
using region_search::EntropyCuts;
using region_search::Found;
using region_search::Region;
using region_search::Search;
using region_search::Shared;
using region_search::Span;

struct Tuples {
    const In<std::int32_t, 2>& codes;
    const In<std::int64_t, 1>& records;
    const In<std::int32_t, 1>& classes;

    std::size_t n() const { return codes.shape(1); }

    std::size_t n_classes() const {
        std::int32_t most = -1;
        for (std::size_t i = 0; i < n(); ++i) most = std::max(most, classes.data()[i]);
        return static_cast<std::size_t>(std::int64_t{most} + 1);
    }

    // The codes of each column, then the classes.
    std::vector<const std::int32_t*> lanes() const {
        std::vector<const std::int32_t*> found;
        for (std::size_t j = 0; j < codes.shape(0); ++j) found.push_back(codes.data() + j * n());
        found.push_back(classes.data());
        return found;
    }
};

void check(const Search& search, const Tuples& tuples) {
    check_codes(search.columns, tuples.codes);
    if (tuples.records.size() != tuples.n() || tuples.classes.size() != tuples.n())
        throw std::invalid_argument("infogain mondrian: one count and class per tuple are needed");
    if (tuples.n() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("infogain mondrian: too many tuples");
    if (search.size < 1 || search.threads < 1)
        throw std::invalid_argument("infogain mondrian: sizes and threads are 1 or more");
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < tuples.n(); ++i) {
        const std::int64_t records = tuples.records.data()[i];
        const std::int32_t own = tuples.classes.data()[i];
        if (records < 1 || __builtin_add_overflow(sum, records, &sum))
            throw std::invalid_argument("infogain mondrian: a count is out of range");
        if (own < 0 || own == std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("infogain mondrian: a class is out of range");
    }
}

// Calls `work` with a number of the narrowest type that holds all codes and classes.
template <typename Work>
auto with_codes(const Search& search, std::size_t n_classes, const Work& work) {
    std::size_t most = n_classes;
    for (const RegionColumn& column : search.columns)
        most = std::max(most, static_cast<std::size_t>(column.n_codes));
    if (most <= 256) return work(std::uint8_t{});
    if (most <= 32768) return work(std::int16_t{});
    return work(std::int32_t{});
}

Found search_on(const Search& search, const Tuples& tuples) {
    const std::size_t n_classes = tuples.n_classes();
    return with_codes(search, n_classes, [&](auto code) {
        using Cuts = EntropyCuts<decltype(code)>;
        return Shared<decltype(code), Cuts>(search).run(
            tuples.lanes(), {tuples.records.data(), tuples.n()}, Cuts(search, n_classes));
    });
}

struct RankedCuts {
    std::vector<std::int64_t> cuts;  // by region: how many it has
    std::vector<std::int32_t> column, low;
    std::vector<double> entropy;
};

template <typename Code>
RankedCuts ranked_with(const Search& search, const Tuples& tuples,
                       const In<std::int64_t, 1>& first) {
    RegionRows<Code> rows(search.columns.size() + 1, false);
    rows.load(tuples.lanes(), tuples.records.data(), tuples.n());
    EntropyCuts<Code> cuts(search, tuples.n_classes());
    Span low(search.columns.size() + 1), high(low.size());
    RankedCuts found;
    for (std::size_t at = 0; at + 1 < first.size(); ++at) {
        const auto start = static_cast<std::size_t>(first.data()[at]);
        const auto end = static_cast<std::size_t>(first.data()[at + 1]);
        Region region{{start, end - start}, 0, -1};
        for (std::size_t row = start; row < end; ++row) region.records += rows.records(row);
        rows.span(region.rows, low.data(), high.data());
        const std::vector<AllowableCut>& ranked = cuts.ranked(rows, region, low, high);
        found.cuts.push_back(static_cast<std::int64_t>(ranked.size()));
        for (const AllowableCut& cut : ranked) {
            found.column.push_back(static_cast<std::int32_t>(cut.column));
            found.low.push_back(cut.low);
            found.entropy.push_back(EntropyCuts<Code>::entropy(cut, region));
        }
    }
    return found;
}

// Regions are intervals of tuples that follow each other, and none is empty.
void check_regions(const In<std::int64_t, 1>& first, std::size_t n) {
    bool fits = first.size() > 0 && first.data()[0] == 0 &&
                first.data()[first.size() - 1] == static_cast<std::int64_t>(n);
    for (std::size_t at = 1; fits && at < first.size(); ++at)
        fits = first.data()[at - 1] < first.data()[at];
    if (!fits) throw std::invalid_argument("entropy cuts: the regions do not hold the tuples");
}

nb::tuple to_python(Found&& found) {
    return nb::make_tuple(
        to_numpy(std::move(found.cuts.column)), to_numpy(std::move(found.cuts.first)),
        to_numpy(std::move(found.cuts.low)), to_numpy(std::move(found.cuts.child)),
        to_numpy(std::move(found.score)), to_numpy(std::move(found.tree.column)),
        to_numpy(std::move(found.tree.cut)), to_numpy(std::move(found.tree.left)),
        to_numpy(std::move(found.tree.right)), to_numpy(std::move(found.low)),
        to_numpy(std::move(found.high)));
}

}  // namespace

void bind_infogain_mondrian(nb::module_& module) {
    module.def(
        "entropy_cuts",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, In<std::int32_t, 1> classes,
           In<std::int64_t, 1> first, nb::list columns, std::int64_t size) {
            const Search search{region_columns(columns), size, false, 1, {}};
            const Tuples tuples{codes, records, classes};
            RankedCuts found;
            {
                nb::gil_scoped_release release;
                check(search, tuples);
                check_regions(first, tuples.n());
                found = with_codes(search, tuples.n_classes(), [&](auto code) {
                    return ranked_with<decltype(code)>(search, tuples, first);
                });
            }
            return nb::make_tuple(to_numpy(std::move(found.cuts)),
                                  to_numpy(std::move(found.column)), to_numpy(std::move(found.low)),
                                  to_numpy(std::move(found.entropy)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("classes"), nb::arg("first"),
        nb::arg("columns"), nb::arg("size"));
    module.def(
        "infogain_mondrian",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, In<std::int32_t, 1> classes,
           nb::list columns, std::int64_t size, std::size_t threads,
           std::function<void(std::int64_t)> report) {
            const Search search{region_columns(columns), size, false, threads, report};
            const Tuples tuples{codes, records, classes};
            Found found;
            {
                nb::gil_scoped_release release;
                check(search, tuples);
                found = search_on(search, tuples);
            }
            return to_python(std::move(found));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("classes"), nb::arg("columns"),
        nb::arg("size"), nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
