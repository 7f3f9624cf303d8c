// Python's view of the clusterings, but for TGC and the local search.
#include "clustering/binding.hpp"

#include <cmath>

#include "clustering/k_members.hpp"
#include "clustering/k_members_p.hpp"
#include "clustering/mdav.hpp"
#include "clustering/nearest_classes.hpp"
#include "clustering/oka.hpp"
#include "clustering/top_down_greedy.hpp"

namespace incrowd {
namespace {
void check(const ShapeColumn& column) {
    const auto nodes = static_cast<int32_t>(column.parent.size());
    if (column.kind == ShapeColumn::kTree) {
        bool sound = nodes > 0 && column.low.size() == column.parent.size() &&
                     column.high.size() == column.parent.size() &&
                     column.cost.size() == column.parent.size();
        for (int32_t node = 0; sound && node < nodes; ++node)
            sound = column.parent[node] >= node && column.parent[node] < nodes &&
                    column.low[node] >= column.low.back() &&
                    column.high[node] <= column.high.back();
        for (const int32_t node : column.node_of) sound = sound && node >= 0 && node < nodes;
        if (!sound || column.low.back() > 0 || column.high.back() < column.n_codes)
            refuse("class shapes", "a tree is damaged");
    }
    if (column.kind == ShapeColumn::kSet &&
        column.cost.size() <= static_cast<size_t>(column.n_codes))
        refuse("class shapes", "a set has too few costs");
}

// Buckets start where `starts` says; none may have fewer than k records.
std::vector<Bucket> read_buckets(const Counts& starts, const Counts& firsts, const Tuples& tuples,
                                 int64_t k) {
    const auto wrong = [](const char* what) { refuse("clustering", what); };
    const auto n = static_cast<int64_t>(tuples.size());
    if (k < 1 || firsts.size() != starts.size() || n == 0 || starts.size() == 0 ||
        starts.data()[0] != 0)
        wrong("the buckets do not fit the tuples");
    std::vector<Bucket> buckets;
    for (size_t at = 0; at < starts.size(); ++at) {
        const int64_t start = starts.data()[at], first = firsts.data()[at];
        const int64_t stop = at + 1 < starts.size() ? starts.data()[at + 1] : n;
        if (start < 0 || stop <= start || stop > n) wrong("the buckets do not fit the tuples");
        int64_t inside = 0;
        for (int64_t i = start; i < stop; ++i) inside += tuples.records[i];
        if (inside < k || first < 0 || first >= inside) wrong("a bucket has too few records");
        buckets.push_back({static_cast<size_t>(start), static_cast<size_t>(stop), first});
    }
    return buckets;
}

nb::tuple grown(nb::list columns, Matrix codes, Counts records, int64_t k, Counts starts,
                Counts firsts, size_t threads, Meter::Report report) {
    auto shapes = shape_columns(columns);
    const Tuples tuples = read_tuples("k_members", codes, records, shapes);
    if (shapes.empty() || tuples.size() > std::numeric_limits<int32_t>::max() / 2)
        refuse("k_members", "the arrays do not fit together");
    const auto buckets = read_buckets(starts, firsts, tuples, k);
    auto dealt = metered(report, [&](Meter& meter) {
        return k_members(std::move(shapes), tuples, k, buckets, threads, meter);
    });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records, dealt.n_classes);
}

Contributions contributions_of(const In<double, 2>& given) {
    if (given.shape(0) != given.shape(1))
        refuse("k_members_p", "contributions are between all pairs of values");
    for (const double each : view(given))
        if (!(each >= 0.0 && each <= 1.0))
            refuse("k_members_p", "a contribution is not between 0 and 1");
    return {view(given), given.shape(0)};
}

nb::tuple protected_(std::vector<In<double, 2>> contributions, Matrix codes, Counts records,
                     int64_t k, Counts starts, Counts firsts, size_t threads,
                     Meter::Report report) {
    std::vector<Contributions> columns;
    for (const auto& each : contributions) columns.push_back(contributions_of(each));
    const Tuples tuples = read_tuples("k_members_p", codes, records, columns);
    if (columns.empty()) refuse("k_members_p", "the arrays do not fit together");
    const auto buckets = read_buckets(starts, firsts, tuples, k);
    auto dealt = metered(report, [&](Meter& meter) {
        return k_members_p(columns, tuples, k, buckets, threads, meter);
    });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records, dealt.n_classes);
}

void check_seeds(std::span<const int64_t> seeds, int64_t total, int64_t k) {
    if (k < 1 || seeds.empty() || static_cast<int64_t>(seeds.size()) > total / k)
        refuse("oka", "there must be one seed at least, and k records for each");
    for (size_t at = 0; at < seeds.size(); ++at)
        if (seeds[at] < 0 || seeds[at] >= total || (at > 0 && seeds[at] <= seeds[at - 1]))
            refuse("oka", "seeds are numbers of records, ascending");
}

nb::tuple one_pass(nb::list columns, Matrix codes, Counts records, int64_t k, Counts seeds,
                   Meter::Report report) {
    const auto shapes = shape_columns(columns);
    const Tuples tuples = read_tuples("oka", codes, records, shapes);
    if (shapes.empty()) refuse("oka", "the arrays do not fit together");
    check_seeds(view(seeds), tuples.n_records(), k);
    auto dealt =
        metered(report, [&](Meter& meter) { return oka(shapes, tuples, k, view(seeds), meter); });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records, dealt.n_classes);
}

nb::tuple aggregated(Matrix codes, Counts records, nb::list columns, int64_t k,
                     Meter::Report report) {
    const auto shapes = shape_columns(columns);
    const Tuples tuples = read_tuples("mdav", codes, records, shapes);
    if (tuples.size() == 0) refuse("mdav", "one count per tuple is needed, and one tuple");
    if (k < 1) refuse("mdav", "k must be 1 or more");
    for (const ShapeColumn& column : shapes)
        if (std::ranges::any_of(column.place, [](double place) { return std::isinf(place); }))
            refuse("mdav", "a number is infinite");
    auto dealt = metered(report, [&](Meter& meter) { return mdav(shapes, tuples, k, meter); });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records);
}

nb::tuple divided(Matrix codes, Counts records, nb::list columns, int64_t k, int64_t rounds,
                  uint64_t seed, size_t threads, Meter::Report report) {
    const char* kernel = "top_down_greedy";
    Division division{shape_columns(columns), {}, k, rounds};
    const Tuples tuples = read_tuples(kernel, codes, records, division.columns);
    if (tuples.size() == 0) refuse(kernel, "one count per tuple is needed, and one tuple");
    if (k < 1 || rounds < 1) refuse(kernel, "k and rounds must be 1 or more");
    auto dealt = metered(report, [&](Meter& meter) {
        division.rows = rows_of(tuples.codes, division.columns.size());
        division.k = std::min(k, tuples.n_records());
        return top_down_greedy(division, tuples, seed, threads, meter);
    });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records);
}

void check(const JoinCosts& joined, size_t columns) {
    const auto& [costs, starts, widths] = joined;
    bool sound = starts.size() == columns + 1 && widths.size() == columns && columns > 0 &&
                 starts[0] == 0 && starts[columns] == std::ssize(costs);
    for (size_t j = 0; sound && j < columns; ++j) {
        const int64_t size = starts[j + 1] - starts[j];
        sound = size >= 0 && widths[j] > 0 && size % widths[j] == 0;
    }
    if (!sound) refuse("nearest_classes", "the tables of costs are damaged");
}

void check_below(const Matrix& rows, size_t j, int64_t limit) {
    for (size_t at = j; at < rows.size(); at += rows.shape(1))
        if (rows.data()[at] < 0 || rows.data()[at] >= limit)
            refuse("nearest_classes", "a cell or a value has no cost");
}

nb::object nearest(Matrix cell_of, Matrix value_of, Reals costs, Counts starts, Counts widths) {
    const size_t d = cell_of.shape(1);
    if (value_of.shape(0) == 0 || value_of.shape(1) != d)
        refuse("nearest_classes", "one or more classes are needed");
    const JoinCosts joined{view(costs), view(starts), view(widths)};
    auto found = without_gil([&] {
        check(joined, d);
        for (size_t j = 0; j < d; ++j) {
            check_below(cell_of, j, (joined.starts[j + 1] - joined.starts[j]) / joined.widths[j]);
            check_below(value_of, j, joined.widths[j]);
        }
        return nearest_classes(view(cell_of), view(value_of), joined);
    });
    return nb::cast(to_python(found));
}
}  // namespace

std::vector<ShapeColumn> shape_columns(nb::list columns) {
    std::vector<ShapeColumn> read;
    for (nb::handle each : columns) {
        const auto given = nb::cast<nb::tuple>(each);
        ShapeColumn column;
        column.kind = static_cast<ShapeColumn::Kind>(nb::cast<int32_t>(given[0]));
        column.n_codes = nb::cast<int32_t>(given[1]);
        if (column.kind == ShapeColumn::kTree) {
            column.node_of = array_in<int32_t>(given[2]);
            column.parent = array_in<int32_t>(given[3]);
            column.low = array_in<int32_t>(given[4]);
            column.high = array_in<int32_t>(given[5]);
            column.cost = array_in<double>(given[6]);
        } else if (column.kind == ShapeColumn::kLine) {
            column.place = array_in<double>(given[2]);
            column.mixed = nb::cast<double>(given[3]);
        } else if (column.kind == ShapeColumn::kSet) {
            column.cost = array_in<double>(given[2]);
        } else {
            refuse("class shapes", "no such kind of column");
        }
        const size_t listed = column.kind == ShapeColumn::kTree   ? column.node_of.size()
                              : column.kind == ShapeColumn::kLine ? column.place.size()
                                                                  : column.cost.size() - 1;
        if (column.n_codes < 0 || listed < static_cast<size_t>(column.n_codes))
            refuse("class shapes", "a column does not list all its codes");
        check(column);
        read.push_back(std::move(column));
    }
    return read;
}

void bind_clustering(nb::module_& module) {
    define(module, "k_members", &grown, "columns", "codes", "records", "k", "starts", "firsts",
           "threads", "report");
    define(module, "k_members_p", &protected_, "contributions", "codes", "records", "k", "starts",
           "firsts", "threads", "report");
    define(module, "mdav", &aggregated, "codes", "records", "columns", "k", "report");
    define(module, "nearest_classes", &nearest, "cell_of", "value_of", "costs", "starts", "widths");
    define(module, "oka", &one_pass, "columns", "codes", "records", "k", "seeds", "report");
    define(module, "top_down_greedy", &divided, "codes", "records", "columns", "k", "rounds",
           "seed", "threads", "report");
}
}  // namespace incrowd
