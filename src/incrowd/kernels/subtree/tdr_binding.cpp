// Python's view of top-down refinement.
#include "core/binding.hpp"
#include "subtree/tdr.hpp"

namespace incrowd {
namespace refinement {
namespace {
void require(bool holds, const char* what) {
    if (!holds) refuse("tdr", what);
}

Margin margin_of(nb::handle codes, nb::handle classes, nb::handle counts, int32_t n_codes,
                 size_t n_classes) {
    const auto code_of = array_in<int32_t>(codes);
    Margin margin{{}, array_in<int32_t>(classes), array_in<int64_t>(counts), {}};
    const size_t n = code_of.size();
    require(margin.class_of.size() == n && margin.count.size() == n,
            "codes, classes and counts of a column must be as many");
    margin.start.assign(static_cast<size_t>(n_codes) + 1, n);
    margin.records.assign(static_cast<size_t>(n_codes), 0);
    int64_t sum = 0;
    for (size_t i = n; i-- > 0;) {
        require(code_of[i] >= 0 && code_of[i] < n_codes && (!i || code_of[i - 1] <= code_of[i]),
                "codes of a column must ascend, from 0 on");
        require(margin.class_of[i] >= 0 && static_cast<size_t>(margin.class_of[i]) < n_classes,
                "a class is out of range");
        require(margin.count[i] > 0 && !__builtin_add_overflow(sum, margin.count[i], &sum),
                "a count is out of range");
        margin.records[code_of[i]] += margin.count[i];
        margin.start[code_of[i]] = i;
    }
    for (size_t code = margin.records.size(); code-- > 0;)
        if (!margin.records[code]) margin.start[code] = margin.start[code + 1];
    return margin;
}

// Children lie in their parent, from left to right, and come before it: there are no circles.
Taxonomy taxonomy_of(nb::handle low, nb::handle high, nb::handle start, nb::handle stop,
                     nb::handle child, int32_t n_codes) {
    const auto lows = array_in<int32_t>(low), highs = array_in<int32_t>(high);
    Taxonomy tree{{}, array_in<int32_t>(start), array_in<int32_t>(stop), array_in<int32_t>(child)};
    const size_t n = lows.size();
    require(n > 0 && highs.size() == n && tree.start.size() == n && tree.stop.size() == n,
            "a taxonomy is damaged");
    for (size_t node = 0; node < n; ++node) {
        tree.span.push_back({lows[node], highs[node]});
        require(lows[node] >= 0 && lows[node] <= highs[node] && highs[node] <= n_codes &&
                    tree.start[node] >= 0 && tree.start[node] <= tree.stop[node] &&
                    static_cast<size_t>(tree.stop[node]) <= tree.child.size(),
                "a taxonomy is damaged");
        int32_t end = lows[node];
        for (int32_t i = tree.start[node]; i < tree.stop[node]; ++i) {
            const int32_t each = tree.child[i];
            require(each >= 0 && static_cast<size_t>(each) < node, "a taxonomy is damaged");
            const Span inside = tree.span[each];
            require(inside.low >= end && inside.high <= highs[node], "a taxonomy is damaged");
            end = inside.high;
        }
    }
    require(lows[n - 1] == 0 && highs[n - 1] == n_codes, "the last node must be the root");
    return tree;
}

// Whatever occurs under a node that can be refined occurs under one of its children.
void require_cover(const Taxonomy& tree, const Margin& margin) {
    std::vector<int64_t> below{0};
    for (const int64_t records : margin.records) below.push_back(below.back() + records);
    const auto records_in = [&](Span span) { return below[span.high] - below[span.low]; };
    for (size_t node = 0; node < tree.span.size(); ++node) {
        int64_t inside = 0;
        for (int32_t i = tree.start[node]; i < tree.stop[node]; ++i)
            inside += records_in(tree.span[tree.child[static_cast<size_t>(i)]]);
        require(tree.start[node] == tree.stop[node] || inside == records_in(tree.span[node]),
                "a taxonomy leaves records out");
    }
}

ColumnParts column_of(nb::handle packed, size_t n_classes) {
    const auto given = nb::cast<nb::tuple>(packed);
    require(given.size() == 7, "a column has 7 parts");
    const auto kind = nb::cast<int>(given[0]);
    const auto n_codes = nb::cast<int32_t>(given[1]);
    const auto n_plain = nb::cast<int32_t>(given[2]);
    require(kind >= 0 && kind <= 2, "there is no such kind of column");
    require(n_codes >= 0 && n_plain >= 0 && n_plain <= n_codes, "a size is out of range");
    ColumnParts column{static_cast<Kind>(kind),
                       n_plain,
                       {},
                       {},
                       margin_of(given[4], given[5], given[6], n_codes, n_classes)};
    if (column.kind == Kind::taxonomy) {
        const auto tree = nb::cast<nb::tuple>(given[3]);
        require(tree.size() == 5, "a taxonomy has 5 parts");
        column.taxonomy = taxonomy_of(tree[0], tree[1], tree[2], tree[3], tree[4], n_codes);
        require_cover(column.taxonomy, column.margin);
    } else if (column.kind == Kind::interval) {
        const auto begins = nb::cast<nb::tuple>(given[3]);
        require(begins.size() == 1, "where intervals may begin is one array");
        column.may_begin = array_in<int32_t>(begins[0]);
        require(column.may_begin.size() == static_cast<size_t>(n_plain),
                "each number may begin an interval or not");
    }
    return column;
}

Requirement requirement_of(nb::handle packed, const std::vector<ColumnParts>& columns) {
    const auto given = nb::cast<nb::tuple>(packed);
    require(given.size() == 4, "a requirement has 4 parts");
    const auto codes = nb::cast<In<int32_t, 2>>(given[1]);
    Requirement asked{array_in<int32_t>(given[0]),
                      std::vector<int32_t>(codes.data(), codes.data() + codes.size()),
                      array_in<int64_t>(given[2]), nb::cast<int64_t>(given[3])};
    const size_t n = asked.records.size();
    require(asked.k >= 1 && codes.shape(0) == asked.columns.size() && codes.shape(1) == n && n > 0,
            "a requirement is damaged");
    require(n <= static_cast<size_t>(std::numeric_limits<int32_t>::max()),
            "more than 2^31 - 1 tuples");
    int64_t sum = 0;
    for (const int64_t count : asked.records)
        require(count > 0 && !__builtin_add_overflow(sum, count, &sum), "a count is out of range");
    for (size_t i = 0; i < asked.columns.size(); ++i) {
        require(asked.columns[i] >= (i ? asked.columns[i - 1] + 1 : 0) &&
                    static_cast<size_t>(asked.columns[i]) < columns.size(),
                "columns of a requirement must ascend");
        const ColumnParts& column = columns[asked.columns[i]];
        for (size_t row = 0; row < n; ++row)
            require(column.has(asked.codes[i * n + row]), "a code is out of range");
    }
    return asked;
}

// (requirements, positions of the columns in the table, codes of its tuples, records), or None.
Promises promises_of(nb::handle packed, const std::vector<ColumnParts>& columns) {
    Promises promises;
    if (packed.is_none()) return promises;
    const auto given = nb::cast<nb::tuple>(packed);
    require(given.size() == 4, "promises have 4 parts");
    promises.requirements = &nb::cast<const Requirements&>(given[0]);
    const auto codes = nb::cast<In<int32_t, 2>>(given[2]);
    promises.codes.assign(codes.data(), codes.data() + codes.size());
    promises.records = array_in<int64_t>(given[3]);
    for (const int64_t position : array_in<int64_t>(given[1])) {
        for (const auto& covers : promises.requirements->views())
            require(position >= 0 && static_cast<size_t>(position) < covers.size(),
                    "promises do not fit the columns");
        promises.position.push_back(static_cast<size_t>(position));
    }
    const size_t n = promises.records.size();
    require(promises.position.size() == columns.size() && codes.shape(0) == columns.size() &&
                codes.shape(1) == n && n > 0 && n == promises.requirements->kind().size(),
            "promises do not fit the columns");
    for (size_t j = 0; j < columns.size(); ++j)
        for (size_t i = 0; i < n; ++i)
            require(columns[j].has(promises.codes[j * n + i]), "a code is out of range");
    return promises;
}

nb::tuple refined(nb::list columns, nb::list requirements, size_t n_classes, bool by_gain,
                  bool disclose_most, bool over_all, bool by_classes, int64_t least_part,
                  Meter::Report report, nb::object promised) {
    require(least_part >= 1, "a part has 1 record or more");
    std::vector<ColumnParts> parts;
    for (const nb::handle each : columns) parts.push_back(column_of(each, n_classes));
    std::vector<Requirement> asked;
    for (const nb::handle each : requirements) asked.push_back(requirement_of(each, parts));
    const Promises promises = promises_of(promised, parts);
    auto trace = metered(report, [&](Meter& meter) {
        return tdr(std::move(parts), std::move(asked), promises, n_classes,
                   {by_gain, disclose_most, over_all, by_classes, least_part}, meter);
    });
    return hand_over(trace.column, trace.value, trace.split, trace.gain, trace.loss, trace.score,
                     trace.scored, trace.first_gain, trace.first_split);
}
}  // namespace
}  // namespace refinement

void bind_tdr(nb::module_& module) {
    module.def("tdr", &refinement::refined, nb::arg("columns"), nb::arg("requirements"),
               nb::arg("n_classes"), nb::arg("by_gain"), nb::arg("disclose_most"),
               nb::arg("over_all"), nb::arg("by_classes"), nb::arg("least_part"), nb::arg("report"),
               nb::arg("promised") = nb::none());
}
}  // namespace incrowd
