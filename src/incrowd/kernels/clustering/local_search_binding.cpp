// Python's view of the gain split and of the local search.
#include "clustering/local_search_binding.hpp"

#include "core/random.hpp"

namespace incrowd {
FixedTable fixed_table(const Table& table, const Shapes& shapes, int64_t k) {
    check_fit("classes", table, shapes.columns);
    if (table.tuples().codes.empty() || k < 1) refuse("classes", "the table is empty, or k is 0");
    return {fixed_columns(shapes.columns), rows_of(table.tuples().codes, table.columns()), k};
}

void check_asked(const Requirements* requirements, const Table& table) {
    if (requirements != nullptr) check_about("classes", *requirements, table);
}

namespace {
struct Parts {
    std::vector<int32_t> tuple_of, class_of, bucket_of;
    std::vector<int64_t> records;

    void add(const Region& region, size_t bucket) {
        const auto c = static_cast<int32_t>(bucket_of.size());
        bucket_of.push_back(static_cast<int32_t>(bucket));
        for (const Share& share : region) {
            tuple_of.push_back(share.tuple);
            class_of.push_back(c);
            records.push_back(share.records);
        }
    }
};
}  // namespace

nb::tuple handed_over(const std::vector<ClassBucket>& buckets) {
    Parts parts;
    for (size_t at = 0; at < buckets.size(); ++at)
        for (const Region& region : buckets[at].classes) parts.add(region, at);
    return hand_over(parts.tuple_of, parts.class_of, parts.records, parts.bucket_of);
}

Verdict ask(nb::object judge) {
    if (judge.is_none()) return nullptr;
    return [judge = judge.ptr()](const std::vector<Region>& changed) {
        const nb::gil_scoped_acquire acquire;
        Parts parts;
        for (const Region& region : changed) parts.add(region, 0);
        const auto n_classes = parts.bucket_of.size();
        const auto allowed = nb::cast<In<bool, 1>>(
            nb::borrow(judge)(to_python(parts.tuple_of), to_python(parts.class_of),
                              to_python(parts.records), n_classes));
        if (allowed.size() != n_classes) refuse("local_search", "one answer per class is needed");
        return std::vector<bool>(allowed.data(), allowed.data() + n_classes);
    };
}

std::vector<ClassBucket> read_buckets(const FixedTable& table, const Ints& tuple_of,
                                      const Ints& class_of, const Counts& records,
                                      const Ints& bucket_of, uint64_t seed) {
    const size_t d = table.columns.size(), n_tuples = table.codes.size() / d;
    const size_t n_classes = bucket_of.size();
    if (class_of.size() != tuple_of.size() || records.size() != tuple_of.size())
        refuse("local_search", "one class and number per part are needed");
    std::vector<Region> classes(n_classes);
    for (size_t p = 0; p < tuple_of.size(); ++p) {
        const auto c = static_cast<uint32_t>(class_of.data()[p]);
        if (c >= n_classes || static_cast<uint32_t>(tuple_of.data()[p]) >= n_tuples ||
            records.data()[p] < 1)
            refuse("local_search", "a part names no tuple, class or records");
        classes[c].push_back({tuple_of.data()[p], records.data()[p]});
    }
    std::vector<ClassBucket> buckets;
    for (size_t c = 0; c < n_classes; ++c) {
        const auto bucket = static_cast<uint32_t>(bucket_of.data()[c]);
        if (bucket > n_classes) refuse("local_search", "a bucket is out of range");
        if (bucket >= buckets.size()) buckets.resize(bucket + 1);
        int64_t size = 0;
        for (const Share& share : classes[c]) size += share.records;
        if (size < table.k) refuse("local_search", "a class is too small");
        buckets[bucket].classes.push_back(std::move(classes[c]));
    }
    for (size_t at = 0; at < buckets.size(); ++at) buckets[at].seed = Random(seed + at).next();
    return buckets;
}

namespace {
nb::tuple split(const Table& table, const Shapes& shapes, int64_t k, int64_t bucket_size,
                size_t threads, Meter::Report report) {
    const FixedTable fixed = fixed_table(table, shapes, k);
    if (table.n_records() < k) refuse("gain_split", "fewer records than one class needs");
    Region whole;
    for (const int64_t each : table.tuples().records)
        whole.push_back({static_cast<int32_t>(whole.size()), each});
    return handed_over(metered(report, [&](Meter& meter) {
        return gain_split(fixed, std::move(whole), bucket_size, threads, meter);
    }));
}

nb::tuple improved(const Table& table, const Shapes& shapes, int64_t k, Ints tuple_of,
                   Ints class_of, Counts records, Ints bucket_of, uint64_t work, uint64_t seed,
                   size_t threads, const Requirements* requirements, nb::object judge,
                   Meter::Report report) {
    const FixedTable fixed = fixed_table(table, shapes, k);
    check_asked(requirements, table);
    auto buckets = read_buckets(fixed, tuple_of, class_of, records, bucket_of, seed);
    const ClassRules rules{requirements, ask(judge)};
    metered(report,
            [&](Meter& meter) { local_search(fixed, buckets, work, rules, threads, meter); });
    return handed_over(buckets);
}
}  // namespace

void bind_local_search(nb::module_& module) {
    define(module, "gain_split", &split, "table", "shapes", "k", "bucket_size", "threads",
           "report");
    module.def("local_search", &improved, nb::arg("table"), nb::arg("shapes"), nb::arg("k"),
               nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"), nb::arg("bucket_of"),
               nb::arg("work"), nb::arg("seed"), nb::arg("threads"), nb::arg("requirements").none(),
               nb::arg("judge").none(), nb::arg("report"));
}
}  // namespace incrowd
