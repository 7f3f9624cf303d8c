// Python's view of the clusterings, but for TGC and the local search.
#include "core/binding.hpp"

#include <cmath>

#include "clustering/k_members.hpp"
#include "clustering/k_members_p.hpp"
#include "clustering/mdav.hpp"
#include "clustering/nearest_classes.hpp"
#include "clustering/oka.hpp"
#include "clustering/top_down_greedy.hpp"

namespace incrowd {
namespace {
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

const std::vector<ShapeColumn>& fitting(const char* kernel, const Table& table,
                                        const Shapes& shapes) {
    check_fit(kernel, table, shapes.columns);
    if (table.size() == 0) refuse(kernel, "the table is empty");
    return shapes.columns;
}

nb::tuple grown(const Table& table, const Shapes& shapes, int64_t k, Counts starts, Counts firsts,
                size_t threads, Meter::Report report) {
    const auto& columns = fitting("k_members", table, shapes);
    if (columns.empty() || table.size() > std::numeric_limits<int32_t>::max() / 2)
        refuse("k_members", "too many tuples, or no columns");
    const auto buckets = read_buckets(starts, firsts, table.tuples(), k);
    auto dealt = metered(report, [&](Meter& meter) {
        return k_members(columns, table.tuples(), k, buckets, threads, meter);
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

nb::tuple protected_(const Table& table, std::vector<In<double, 2>> contributions, int64_t k,
                     Counts starts, Counts firsts, size_t threads, Meter::Report report) {
    std::vector<Contributions> columns;
    for (const auto& each : contributions) columns.push_back(contributions_of(each));
    check_fit("k_members_p", table, columns);
    if (columns.empty()) refuse("k_members_p", "there is no sensitive column");
    const auto buckets = read_buckets(starts, firsts, table.tuples(), k);
    auto dealt = metered(report, [&](Meter& meter) {
        return k_members_p(columns, table.tuples(), k, buckets, threads, meter);
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

nb::tuple one_pass(const Table& table, const Shapes& shapes, int64_t k, Counts seeds,
                   Meter::Report report) {
    const auto& columns = fitting("oka", table, shapes);
    if (columns.empty()) refuse("oka", "there are no columns");
    check_seeds(view(seeds), table.n_records(), k);
    auto dealt = metered(
        report, [&](Meter& meter) { return oka(columns, table.tuples(), k, view(seeds), meter); });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records, dealt.n_classes);
}

nb::tuple aggregated(const Table& table, const Shapes& shapes, int64_t k, Meter::Report report) {
    const auto& columns = fitting("mdav", table, shapes);
    if (k < 1) refuse("mdav", "k must be 1 or more");
    for (const ShapeColumn& column : columns)
        if (std::ranges::any_of(column.place, [](double place) { return std::isinf(place); }))
            refuse("mdav", "a number is infinite");
    auto dealt =
        metered(report, [&](Meter& meter) { return mdav(columns, table.tuples(), k, meter); });
    return hand_over(dealt.tuple_of, dealt.class_of, dealt.records);
}

nb::tuple divided(const Table& table, const Shapes& shapes, int64_t k, int64_t rounds,
                  uint64_t seed, size_t threads, Meter::Report report) {
    const auto& columns = fitting("top_down_greedy", table, shapes);
    if (k < 1 || rounds < 1) refuse("top_down_greedy", "k and rounds must be 1 or more");
    auto dealt = metered(report, [&](Meter& meter) {
        const Division division{columns, rows_of(table.tuples().codes, columns.size()),
                                std::min(k, table.n_records()), rounds};
        return top_down_greedy(division, table.tuples(), seed, threads, meter);
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

void bind_clustering(nb::module_& module) {
    define(module, "k_members", &grown, "table", "shapes", "k", "starts", "firsts", "threads",
           "report");
    define(module, "k_members_p", &protected_, "table", "contributions", "k", "starts", "firsts",
           "threads", "report");
    define(module, "mdav", &aggregated, "table", "shapes", "k", "report");
    define(module, "nearest_classes", &nearest, "cell_of", "value_of", "costs", "starts", "widths");
    define(module, "oka", &one_pass, "table", "shapes", "k", "seeds", "report");
    define(module, "top_down_greedy", &divided, "table", "shapes", "k", "rounds", "seed", "threads",
           "report");
}
}  // namespace incrowd
