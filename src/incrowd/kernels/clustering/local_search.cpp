// Classes of records by gain splits, and made better bucket by bucket.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <stdexcept>

#include "clustering/class_search.hpp"
#include "clustering/few_records.hpp"
#include "clustering/gain_split.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

using Codes = In<std::int32_t, 1>;
using Counts = In<std::int64_t, 1>;

struct Table {
    std::vector<FixedColumn> columns;
    std::vector<std::int32_t> codes;  // (tuples, columns), row by row
    std::int64_t k;

    const std::int32_t* row(std::int32_t tuple) const {
        return codes.data() + static_cast<std::size_t>(tuple) * columns.size();
    }
};

Table read_table(nb::list columns, const In<std::int32_t, 2>& codes, std::int64_t k) {
    const std::vector<ShapeColumn> shapes = shape_columns(columns);
    const std::size_t d = codes.shape(0), m = codes.shape(1);
    if (d != shapes.size() || d == 0 || m == 0 || k < 1)
        throw std::invalid_argument("classes: codes, columns and k do not fit together");
    check_codes(shapes, {codes.data(), codes.size()}, m);
    Table table{fixed_columns(shapes), std::vector<std::int32_t>(m * d), k};
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < m; ++i) table.codes[i * d + j] = codes.data()[j * m + i];
    return table;
}

struct Bucket {
    std::vector<Region> classes;
    std::uint64_t seed = 0;

    std::int64_t records() const {
        std::int64_t sum = 0;
        for (const Region& region : classes)
            for (const Share& share : region) sum += share.records;
        return sum;
    }
    // By record, in ascending order.
    std::vector<std::int32_t> tuples() const {
        std::vector<std::int32_t> found;
        for (const Region& region : classes)
            for (const Share& share : region)
                found.insert(found.end(), static_cast<std::size_t>(share.records), share.tuple);
        std::sort(found.begin(), found.end());
        return found;
    }
};

// Regions in the order of the tree; small neighbours share a bucket.
std::vector<Bucket> into_buckets(std::vector<Region> regions, std::int64_t bucket_size) {
    std::vector<Bucket> buckets;
    std::int64_t have = bucket_size;
    for (Region& region : regions) {
        if (8 * have >= bucket_size) {
            buckets.emplace_back();
            have = 0;
        }
        for (const Share& share : region) have += share.records;
        buckets.back().classes.push_back(std::move(region));
    }
    return buckets;
}

// The classes of a bucket while they are changed, and the tuple of each record that can move.
class OpenBucket {
  public:
    OpenBucket(const Table& table, const Bucket& bucket)
        : k_(table.k), classes_(table.columns, codes_of(table, bucket)) {
        std::int32_t item = 0;
        for (const Region& region : bucket.classes) {
            const std::int32_t c = classes_.add_class();
            for (const Share& share : region) {
                const std::int64_t items = movable(share);
                for (std::int64_t each = 0; each < items; ++each) classes_.add(item++, c);
                if (share.records > items) classes_.fix(item - 1, share.records - items);
            }
        }
    }

    EditableClasses& classes() { return classes_; }

    // The records of a class by tuple, in the order of the tuples.
    Region region(std::int32_t c) const {
        Region found;
        for (const std::int32_t item : classes_.members(c)) found.push_back({tuple_of_[item], 1});
        for (const EditableClasses::Fixed& each : classes_.fixed(c))
            found.push_back({tuple_of_[each.item], each.records});
        std::sort(found.begin(), found.end(),
                  [](const Share& a, const Share& b) { return a.tuple < b.tuple; });
        Region merged;
        for (const Share& share : found) {
            if (!merged.empty() && merged.back().tuple == share.tuple)
                merged.back().records += share.records;
            else
                merged.push_back(share);
        }
        return merged;
    }

  private:
    // Of very many equal records, most can stay where they are: k of them still make a class.
    std::int64_t movable(const Share& share) const {
        return share.records >= 2 * k_ ? k_ : share.records;
    }

    std::vector<std::int32_t> codes_of(const Table& table, const Bucket& bucket) {
        std::vector<std::int32_t> codes;
        for (const Region& region : bucket.classes)
            for (const Share& share : region)
                for (std::int64_t each = movable(share); each > 0; --each) {
                    tuple_of_.push_back(share.tuple);
                    codes.insert(codes.end(), table.row(share.tuple),
                                 table.row(share.tuple) + table.columns.size());
                }
        return codes;
    }

    std::int64_t k_;
    std::vector<std::int32_t> tuple_of_;
    EditableClasses classes_;
};

// Improves the classes of a bucket among themselves.
void improve(const Table& table, Bucket& bucket, std::uint64_t work, const Verdict& verdict,
             Meter& meter) {
    OpenBucket open(table, bucket);
    EditableClasses& classes = open.classes();
    ClassSearch::Judge judge;
    if (verdict)
        judge = [&](const std::vector<std::int32_t>& touched) {
            std::vector<Region> changed;
            for (const std::int32_t c : touched)
                if (classes.alive(c)) changed.push_back(open.region(c));
            const std::vector<bool> allowed = verdict(changed);
            return std::find(allowed.begin(), allowed.end(), false) == allowed.end();
        };
    const std::int64_t before = classes.total();
    ClassSearch search(classes, table.k, bucket.seed, judge);
    search.dissolve_and_move();
    search.explore(work * classes.n_items(), [&] { meter.advance(0); });
    search.dissolve_and_move();
    if (classes.total() >= before) return;
    bucket.classes.clear();
    for (std::int32_t c = 0; c < classes.n_classes(); ++c)
        if (classes.alive(c)) bucket.classes.push_back(open.region(c));
}

// A few records are dealt as well as can be.
void solve(const Table& table, Bucket& bucket, const Verdict& verdict) {
    const std::int64_t before = OpenBucket(table, bucket).classes().total();
    Cheapest best = cheapest_classes(table.columns, table.codes, bucket.tuples(), table.k, verdict);
    if (best.cost < before) bucket.classes = std::move(best.classes);
}

struct Parts {
    std::vector<std::int32_t> tuple_of, class_of, bucket_of;
    std::vector<std::int64_t> records;

    void add(const Region& region, std::size_t bucket) {
        const auto c = static_cast<std::int32_t>(bucket_of.size());
        bucket_of.push_back(static_cast<std::int32_t>(bucket));
        for (const Share& share : region) {
            tuple_of.push_back(share.tuple);
            class_of.push_back(c);
            records.push_back(share.records);
        }
    }
    static Parts of(const std::vector<Bucket>& buckets) {
        Parts parts;
        for (std::size_t at = 0; at < buckets.size(); ++at)
            for (const Region& region : buckets[at].classes) parts.add(region, at);
        return parts;
    }
    nb::tuple to_python() {
        return nb::make_tuple(to_numpy(std::move(tuple_of)), to_numpy(std::move(class_of)),
                              to_numpy(std::move(records)), to_numpy(std::move(bucket_of)));
    }
};

// Classes and buckets as Python knows them.
std::vector<Bucket> read_buckets(const Table& table, const Codes& tuple_of, const Codes& class_of,
                                 const Counts& records, const Codes& bucket_of,
                                 std::uint64_t seed) {
    const std::size_t d = table.columns.size(), n_tuples = table.codes.size() / d;
    const std::size_t n_classes = bucket_of.size();
    if (class_of.size() != tuple_of.size() || records.size() != tuple_of.size())
        throw std::invalid_argument("local_search: one class and number per part are needed");
    std::vector<Region> classes(n_classes);
    for (std::size_t p = 0; p < tuple_of.size(); ++p) {
        const auto c = static_cast<std::uint32_t>(class_of.data()[p]);
        if (c >= n_classes || static_cast<std::uint32_t>(tuple_of.data()[p]) >= n_tuples ||
            records.data()[p] < 1)
            throw std::invalid_argument("local_search: a part names no tuple, class or records");
        classes[c].push_back({tuple_of.data()[p], records.data()[p]});
    }
    std::vector<Bucket> buckets;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const auto bucket = static_cast<std::uint32_t>(bucket_of.data()[c]);
        if (bucket > n_classes)
            throw std::invalid_argument("local_search: a bucket is out of range");
        if (bucket >= buckets.size()) buckets.resize(bucket + 1);
        std::int64_t size = 0;
        for (const Share& share : classes[c]) size += share.records;
        if (size < table.k) throw std::invalid_argument("local_search: a class is too small");
        buckets[bucket].classes.push_back(std::move(classes[c]));
    }
    for (std::size_t at = 0; at < buckets.size(); ++at) buckets[at].seed = Random(seed + at).next();
    return buckets;
}

// Asks Python about classes; called from other threads, which do not hold the GIL.
Verdict ask(nb::object judge) {
    if (judge.is_none()) return nullptr;
    return [judge = judge.ptr()](const std::vector<Region>& changed) {
        const nb::gil_scoped_acquire acquire;
        Parts parts;
        for (const Region& region : changed) parts.add(region, 0);
        const auto n_classes = parts.bucket_of.size();
        const auto allowed = nb::cast<In<bool, 1>>(nb::borrow(judge)(
            to_numpy(std::move(parts.tuple_of)), to_numpy(std::move(parts.class_of)),
            to_numpy(std::move(parts.records)), n_classes));
        if (allowed.size() != n_classes)
            throw std::invalid_argument("local_search: one answer per class is needed");
        return std::vector<bool>(allowed.data(), allowed.data() + n_classes);
    };
}

nb::tuple gain_split(nb::list columns, In<std::int32_t, 2> codes, Counts records, std::int64_t k,
                     std::int64_t bucket_size, std::size_t threads, Meter::Report report) {
    const Table table = read_table(columns, codes, k);
    if (records.size() != codes.shape(1))
        throw std::invalid_argument("gain_split: one number of records per tuple is needed");
    Region whole;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records.data()[i] < 1)
            throw std::invalid_argument("gain_split: a tuple has no records");
        whole.push_back({static_cast<std::int32_t>(i), records.data()[i]});
        sum += records.data()[i];
    }
    if (sum < k) throw std::invalid_argument("gain_split: fewer records than one class needs");
    Parts parts;
    {
        const nb::gil_scoped_release release;
        GainSplit top(table.columns, table.codes, k);
        std::vector<Bucket> buckets =
            into_buckets(top.split_down(std::move(whole), bucket_size), bucket_size);
        Meter meter(report);
        run_pieces(buckets.size(), threads, meter, [&](std::size_t at) {
            GainSplit splitter(table.columns, table.codes, k);
            std::vector<Region> found;
            for (Region& region : buckets[at].classes)
                for (Region& each : splitter.split_down(std::move(region), 0))
                    found.push_back(std::move(each));
            buckets[at].classes = std::move(found);
            meter.advance(1);
        });
        parts = Parts::of(buckets);
    }
    return parts.to_python();
}

nb::tuple local_search(nb::list columns, In<std::int32_t, 2> codes, std::int64_t k, Codes tuple_of,
                       Codes class_of, Counts records, Codes bucket_of, std::uint64_t work,
                       std::uint64_t seed, std::size_t threads, nb::object judge,
                       Meter::Report report) {
    const Table table = read_table(columns, codes, k);
    std::vector<Bucket> buckets = read_buckets(table, tuple_of, class_of, records, bucket_of, seed);
    const Verdict verdict = ask(judge);
    Parts parts;
    {
        const nb::gil_scoped_release release;
        Meter meter(report);
        run_pieces(buckets.size(), threads, meter, [&](std::size_t at) {
            if (buckets[at].records() <= static_cast<std::int64_t>(kFewRecords))
                solve(table, buckets[at], verdict);
            else if (buckets[at].classes.size() > 1 || verdict)
                improve(table, buckets[at], work, verdict, meter);
            meter.advance(1);
        });
        parts = Parts::of(buckets);
    }
    return parts.to_python();
}

}  // namespace

void bind_local_search(nb::module_& module) {
    module.def("gain_split", &gain_split, nb::arg("columns"), nb::arg("codes"), nb::arg("records"),
               nb::arg("k"), nb::arg("bucket_size"), nb::arg("threads"), nb::arg("report"));
    module.def("local_search", &local_search, nb::arg("columns"), nb::arg("codes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("work"), nb::arg("seed"), nb::arg("threads"), nb::arg("judge").none(),
               nb::arg("report"));
}

}  // namespace incrowd
