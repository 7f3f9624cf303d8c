// Python's view of top-down refinement.
#include "requirements/binding.hpp"
#include "subtree/tdr.hpp"

namespace incrowd {
namespace refinement {
namespace {
void require(bool holds, const char* what) {
    if (!holds) refuse("tdr", what);
}

// The columns of a table that are refined, and what is asked of its classes meanwhile.
struct Refinements {
    explicit Refinements(size_t n_classes) : n_classes(n_classes) {}

    size_t n_classes;
    std::vector<ColumnParts> columns;
    std::vector<Requirement> asked;
    Promises promises;
};

// How many records of each class have each code: entries by code.
Margin margin_of(const Ints& codes, const Ints& classes, const Counts& counts, int32_t n_codes,
                 size_t n_classes) {
    const auto code_of = view(codes);
    Margin margin{{}, copied(classes), copied(counts), {}};
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
Taxonomy taxonomy_of(const Ints& low, const Ints& high, const Ints& start, const Ints& stop,
                     const Ints& child, int32_t n_codes) {
    const auto lows = view(low), highs = view(high);
    const size_t n = lows.size();
    Taxonomy tree{{}, copied(start), copied(stop), copied(child), std::vector<uint8_t>(n, 0)};
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

int32_t checked_codes(int64_t n_codes) {
    require(n_codes >= 0 && n_codes <= std::numeric_limits<int32_t>::max(),
            "a size is out of range");
    return static_cast<int32_t>(n_codes);
}

void add_taxonomy(Refinements& self, const Ints& codes, const Ints& classes, const Counts& counts,
                  const Ints& low, const Ints& high, const Ints& start, const Ints& stop,
                  const Ints& child) {
    require(high.size() > 0, "a taxonomy is damaged");
    const int32_t n_codes = checked_codes(high.data()[high.size() - 1]);  // of the root
    ColumnParts column{Kind::taxonomy,
                       n_codes,
                       taxonomy_of(low, high, start, stop, child, n_codes),
                       {},
                       margin_of(codes, classes, counts, n_codes, self.n_classes)};
    require_cover(column.taxonomy, column.margin);
    self.columns.push_back(std::move(column));
}

void add_intervals(Refinements& self, const Ints& codes, const Ints& classes, const Counts& counts,
                   int64_t n_codes, const Ints& may_begin) {
    const int32_t size = checked_codes(n_codes);
    require(may_begin.size() <= static_cast<size_t>(size), "a size is out of range");
    self.columns.push_back({Kind::interval,
                            static_cast<int32_t>(may_begin.size()),
                            {},
                            copied(may_begin),
                            margin_of(codes, classes, counts, size, self.n_classes)});
}

// The nodes of the tree that was added last which must be refined before anything else.
void require_nodes(Refinements& self, const Ints& nodes) {
    require(!self.columns.empty() && self.columns.back().kind == Kind::taxonomy,
            "only nodes of a taxonomy can be required");
    std::vector<uint8_t>& must = self.columns.back().taxonomy.must;
    for (const int32_t node : view(nodes)) {
        require(node >= 0 && static_cast<size_t>(node) < must.size(), "a node is out of range");
        must[static_cast<size_t>(node)] = 1;
    }
}

void add_disclosure(Refinements& self, const Ints& codes, const Ints& classes, const Counts& counts,
                    int64_t n_codes, int64_t n_plain) {
    const int32_t size = checked_codes(n_codes), plain = checked_codes(n_plain);
    require(plain <= size, "a size is out of range");
    self.columns.push_back(
        {Kind::disclosure, plain, {}, {}, margin_of(codes, classes, counts, size, self.n_classes)});
}

// Checks that every code of a table occurs in its column.
void require_known(const Table& table, const Refinements& self, std::span<const int32_t> columns) {
    require(table.columns() == columns.size() && table.size() > 0, "a table is damaged");
    for (size_t j = 0; j < columns.size(); ++j) {
        require(columns[j] >= (j ? columns[j - 1] + 1 : 0) &&
                    static_cast<size_t>(columns[j]) < self.columns.size(),
                "columns of a table must ascend");
        for (size_t i = 0; i < table.size(); ++i)
            require(self.columns[static_cast<size_t>(columns[j])].has(table.tuples().code(j, i)),
                    "a code is out of range");
    }
}

// The distinct tuples over some columns, of which classes of k or more are asked for.
void add_size(Refinements& self, const Ints& columns, const Table& table, int64_t k) {
    require(k >= 1, "k must be 1 or more");
    require_known(table, self, view(columns));
    const auto [codes, records] = table.tuples();
    self.asked.push_back(
        {copied(columns), {codes.begin(), codes.end()}, {records.begin(), records.end()}, k});
}

// What is asked beyond sizes; `position` says by column which of the requirements' table it is.
void add_promises(Refinements& self, const Requirements& requirements, const Counts& position,
                  const Table& table) {
    std::vector<int32_t> all(self.columns.size());
    std::iota(all.begin(), all.end(), 0);
    require_known(table, self, all);
    require(position.size() == all.size(), "one position per column is needed");
    const auto [codes, records] = table.tuples();
    check_about("tdr", requirements, records, view(position));
    self.promises = {&requirements,
                     {view(position).begin(), view(position).end()},
                     {codes.begin(), codes.end()},
                     {records.begin(), records.end()}};
}

nb::tuple refined(const Refinements& refinements, bool by_gain, bool disclose_most, bool over_all,
                  bool by_classes, int64_t least_part, Meter::Report report) {
    require(least_part >= 1, "a part has 1 record or more");
    auto trace = metered(report, [&](Meter& meter) {
        return tdr(refinements.columns, refinements.asked, refinements.promises,
                   refinements.n_classes,
                   {by_gain, disclose_most, over_all, by_classes, least_part}, meter);
    });
    return hand_over(trace.column, trace.value, trace.split, trace.gain, trace.loss, trace.score,
                     trace.scored, trace.first_gain, trace.first_split);
}
}  // namespace
}  // namespace refinement

void bind_tdr(nb::module_& module) {
    using namespace refinement;
    nb::class_<Refinements> bound(module, "Refinements");
    bound.def(nb::init<size_t>(), nb::arg("n_classes"));
    define(bound, "taxonomy", &add_taxonomy, "codes", "classes", "counts", "low", "high", "start",
           "stop", "child");
    define(bound, "must", &require_nodes, "nodes");
    define(bound, "intervals", &add_intervals, "codes", "classes", "counts", "n_codes",
           "may_begin");
    define(bound, "disclosure", &add_disclosure, "codes", "classes", "counts", "n_codes",
           "n_plain");
    define(bound, "size", &add_size, "columns", "table", "k");
    bound.def("promise", &add_promises, nb::arg("requirements"), nb::arg("position"),
              nb::arg("table"), nb::keep_alive<1, 2>());
    define(module, "tdr", &refined, "refinements", "by_gain", "disclose_most", "over_all",
           "by_classes", "least_part", "report");
}
}  // namespace incrowd
