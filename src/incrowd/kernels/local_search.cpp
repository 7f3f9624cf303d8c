// Classes of records by gain splits, made better bucket by bucket.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "class_search.hpp"
#include "gain_split.hpp"

namespace incrowd {

namespace {

struct Table {
    std::vector<FixedColumn> columns;
    std::vector<std::int32_t> codes;  // (tuples, columns), row by row
    std::vector<std::int64_t> records;
    std::int64_t k;
};

Table read_table(nb::list columns, In<std::int32_t, 2> codes, In<std::int64_t, 1> records,
                 std::int64_t k) {
    const std::vector<ShapeColumn> shapes = shape_columns(columns);
    const std::size_t d = codes.shape(0), m = codes.shape(1);
    if (d != shapes.size() || d == 0 || records.size() != m || m == 0)
        throw std::invalid_argument("classes: one row of codes per column is needed");
    check_codes(shapes, {codes.data(), codes.size()}, m);
    Table table{fixed_columns(shapes), std::vector<std::int32_t>(m * d),
                {records.data(), records.data() + m}, k};
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < m; ++i) table.codes[i * d + j] = codes.data()[j * m + i];
    std::int64_t sum = 0;
    for (const std::int64_t each : table.records) {
        if (each < 1) throw std::invalid_argument("classes: a tuple has no records");
        sum += each;
    }
    if (k < 1 || sum < k) throw std::invalid_argument("classes: fewer records than one class needs");
    return table;
}

Region everything(const Table& table) {
    Region whole;
    for (std::size_t i = 0; i < table.records.size(); ++i)
        whole.push_back({static_cast<std::int32_t>(i), table.records[i]});
    return whole;
}

struct Bucket {
    std::vector<Region> classes;
    std::uint64_t seed;
};

// Improves the classes of a bucket among themselves.
void improve(const Table& table, Bucket& bucket, std::uint64_t work, const ClassSearch::Judge&) {
    const std::size_t d = table.columns.size();
    std::vector<std::int32_t> codes, tuple_of;
    for (const Region& region : bucket.classes)
        for (const Share& share : region) {
            const std::int64_t items = share.records >= 2 * table.k ? table.k : share.records;
            for (std::int64_t each = 0; each < items; ++each) {
                tuple_of.push_back(share.tuple);
                const std::int32_t* row = table.codes.data() + static_cast<std::size_t>(share.tuple) * d;
                codes.insert(codes.end(), row, row + d);
            }
        }
    EditableClasses classes(table.columns, std::move(codes));
    std::int32_t item = 0;
    for (const Region& region : bucket.classes) {
        const std::int32_t c = classes.add_class();
        for (const Share& share : region) {
            const std::int64_t items = share.records >= 2 * table.k ? table.k : share.records;
            for (std::int64_t each = 0; each < items; ++each) classes.add(item++, c);
            if (share.records > items) classes.fix(item - 1, share.records - items);
        }
    }
    ClassSearch search(classes, table.k, bucket.seed, nullptr);
    search.dissolve_and_move();
    search.explore(work * tuple_of.size());
    search.dissolve_and_move();
    bucket.classes.clear();
    for (std::int32_t c = 0; c < classes.n_classes(); ++c) {
        if (!classes.alive(c)) continue;
        Region region;
        for (const std::int32_t each : classes.members(c)) region.push_back({tuple_of[each], 1});
        if (classes.has_fixed(c)) region.push_back({tuple_of[classes.fixed_item(c)], classes.fixed(c)});
        std::sort(region.begin(), region.end(),
                  [](const Share& a, const Share& b) { return a.tuple < b.tuple; });
        Region merged;
        for (const Share& share : region) {
            if (!merged.empty() && merged.back().tuple == share.tuple)
                merged.back().records += share.records;
            else
                merged.push_back(share);
        }
        bucket.classes.push_back(std::move(merged));
    }
}

nb::tuple parts_of(const std::vector<Region>& classes) {
    std::vector<std::int32_t> tuple_of, class_of;
    std::vector<std::int64_t> records;
    for (std::size_t c = 0; c < classes.size(); ++c)
        for (const Share& share : classes[c]) {
            tuple_of.push_back(share.tuple);
            class_of.push_back(static_cast<std::int32_t>(c));
            records.push_back(share.records);
        }
    return nb::make_tuple(to_numpy(std::move(tuple_of)), to_numpy(std::move(class_of)),
                          to_numpy(std::move(records)));
}

}  // namespace

void bind_local_search(nb::module_& module) {
    module.def(
        "gain_split",
        [](nb::list columns, In<std::int32_t, 2> codes, In<std::int64_t, 1> records,
           std::int64_t k) {
            const Table table = read_table(columns, codes, records, k);
            std::vector<Region> classes;
            {
                nb::gil_scoped_release release;
                GainSplit splitter(table.columns, table.codes, k);
                classes = splitter.split_down(everything(table), 0);
            }
            return parts_of(classes);
        },
        nb::arg("columns"), nb::arg("codes"), nb::arg("records"), nb::arg("k"));
    module.def(
        "local_search",
        [](nb::list columns, In<std::int32_t, 2> codes, In<std::int64_t, 1> records, std::int64_t k,
           std::int64_t bucket_size, std::uint64_t work, std::uint64_t rounds, std::uint64_t seed) {
            const Table table = read_table(columns, codes, records, k);
            std::vector<Region> classes;
            {
                nb::gil_scoped_release release;
                GainSplit splitter(table.columns, table.codes, k);
                std::vector<Bucket> buckets;
                for (Region& region : splitter.split_down(everything(table), bucket_size))
                    buckets.push_back({splitter.split_down(std::move(region), 0), seed + buckets.size()});
                for (Bucket& bucket : buckets) {
                    improve(table, bucket, work, nullptr);
                    for (Region& region : bucket.classes) classes.push_back(std::move(region));
                }
                (void)rounds;
            }
            return parts_of(classes);
        },
        nb::arg("columns"), nb::arg("codes"), nb::arg("records"), nb::arg("k"),
        nb::arg("bucket_size"), nb::arg("work"), nb::arg("rounds"), nb::arg("seed"));
}

}  // namespace incrowd
