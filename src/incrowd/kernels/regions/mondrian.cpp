// Python's view of Mondrian.  Twin: tests/naive/mondrian.py.
#include <nanobind/stl/function.h>

#include <limits>
#include <span>
#include <stdexcept>

#include "core/arrays.hpp"
#include "regions/mondrian_cuts.hpp"

namespace incrowd {

namespace {

using region_search::Found;
using region_search::MondrianCuts;
using region_search::Search;
using region_search::Shared;
using region_search::Split;

template <typename Code>
Found search_with(const Search& search, Split split, const In<std::int32_t, 2>& codes,
                  const In<std::int64_t, 1>& records) {
    std::vector<const std::int32_t*> lanes;
    for (std::size_t j = 0; j < codes.shape(0); ++j)
        lanes.push_back(codes.data() + j * codes.shape(1));
    using Cuts = MondrianCuts<Code>;
    return Shared<Code, Cuts>(search).run(lanes, {records.data(), records.size()},
                                          Cuts(search, split));
}

Found search_on(const Search& search, Split split, const In<std::int32_t, 2>& codes,
                const In<std::int64_t, 1>& records) {
    std::int32_t most = 0;
    for (const RegionColumn& column : search.columns) most = std::max(most, column.n_codes);
    // Signed 16 bits: vector instructions that every machine has compare no other ones.
    if (most <= 256) return search_with<std::uint8_t>(search, split, codes, records);
    if (most <= 32768) return search_with<std::int16_t>(search, split, codes, records);
    return search_with<std::int32_t>(search, split, codes, records);
}

void check(const Search& search, Split split, const In<std::int32_t, 2>& codes,
           const In<std::int64_t, 1>& records) {
    check_codes(search.columns, codes);
    if (records.size() != codes.shape(1))
        throw std::invalid_argument("mondrian: one count per tuple is needed");
    if (records.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("mondrian: more than 2^31 - 1 tuples");
    if (search.size < 1 || search.threads < 1)
        throw std::invalid_argument("mondrian: sizes and threads are 1 or more");
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < records.size(); ++i)
        if (records.data()[i] < 1 || __builtin_add_overflow(sum, records.data()[i], &sum))
            throw std::invalid_argument("mondrian: a count is out of range");
    if (split == Split::hierarchy)
        for (const RegionColumn& column : search.columns)
            if (!column.place.empty())
                throw std::invalid_argument("mondrian: a column has no hierarchy");
}

}  // namespace

void bind_mondrian(nb::module_& module) {
    module.def(
        "mondrian",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, nb::list columns,
           std::int64_t size, bool by_hierarchy, std::size_t threads,
           std::function<void(std::int64_t)> report) {
            const Search search{region_columns(columns), size, false, threads, report};
            const Split split = by_hierarchy ? Split::hierarchy : Split::median;
            Found found;
            {
                nb::gil_scoped_release release;
                check(search, split, codes, records);
                found = search_on(search, split, codes, records);
            }
            return nb::make_tuple(
                to_numpy(std::move(found.tree.column)), to_numpy(std::move(found.tree.cut)),
                to_numpy(std::move(found.tree.left)), to_numpy(std::move(found.tree.right)),
                to_numpy(std::move(found.low)), to_numpy(std::move(found.high)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("columns"), nb::arg("size"),
        nb::arg("by_hierarchy"), nb::arg("threads"), nb::arg("report"));
    module.def(
        "relaxed_mondrian",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, nb::list columns,
           std::int64_t size, std::size_t threads, std::function<void(std::int64_t)> report) {
            const Search search{region_columns(columns), size, true, threads, report};
            Found found;
            {
                nb::gil_scoped_release release;
                check(search, Split::relaxed, codes, records);
                found = search_on(search, Split::relaxed, codes, records);
            }
            return nb::make_tuple(to_numpy(std::move(found.tuple)),
                                  to_numpy(std::move(found.class_of)),
                                  to_numpy(std::move(found.records)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("columns"), nb::arg("size"),
        nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
