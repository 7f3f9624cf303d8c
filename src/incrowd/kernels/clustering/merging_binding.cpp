// Python's view of the merging of classes that break a requirement.
#include "clustering/merging.hpp"
#include "requirements/binding.hpp"

namespace incrowd {
namespace {
const char* const kName = "merge_violating";

BucketedClasses read(const Table& table, const Shapes& shapes, const Ints& tuple_of,
                     const Ints& class_of, const Counts& records, const Ints& bucket_of) {
    check_fit(kName, table, shapes.columns);
    BucketedClasses given{
        shapes.columns, rows_of(table.tuples().codes, table.columns()), {}, copied(bucket_of)};
    const size_t parts = tuple_of.size(), classes = bucket_of.size();
    if (class_of.size() != parts || records.size() != parts)
        refuse(kName, "one class and number per part are needed");
    given.classes.resize(classes);
    for (size_t p = 0; p < parts; ++p) {
        const auto c = static_cast<uint32_t>(class_of.data()[p]);
        if (c >= classes || static_cast<uint32_t>(tuple_of.data()[p]) >= table.size() ||
            records.data()[p] < 1)
            refuse(kName, "a part names no tuple, class or records");
        given.classes[c].push_back({tuple_of.data()[p], records.data()[p]});
    }
    if (std::ranges::any_of(given.classes, [](const Shares& each) { return each.empty(); }))
        refuse(kName, "a class is empty");
    for (const int32_t bucket : given.bucket_of)
        if (static_cast<uint32_t>(bucket) >= classes) refuse(kName, "a bucket is out of range");
    return given;
}

nb::tuple merged(const Table& table, const Shapes& shapes, const Requirements& requirements,
                 Ints tuple_of, Ints class_of, Counts records, Ints bucket_of,
                 Meter::Report report) {
    check_about(kName, requirements, table);
    const auto given = read(table, shapes, tuple_of, class_of, records, bucket_of);
    auto found =
        metered(report, [&](Meter& meter) { return merge_violating(given, requirements, meter); });
    return hand_over(found.into, found.bucket_of);
}

nb::tuple paired(const Table& table, const Shapes& shapes, In<uint8_t, 1> violating, Ints tuple_of,
                 Ints class_of, Counts records, Ints bucket_of, Meter::Report report) {
    const auto given = read(table, shapes, tuple_of, class_of, records, bucket_of);
    if (violating.size() != given.classes.size()) refuse(kName, "one mark per class is needed");
    auto found =
        metered(report, [&](Meter& meter) { return merge_pairs(given, view(violating), meter); });
    return hand_over(found.into, found.bucket_of);
}
}  // namespace

void bind_merging(nb::module_& module) {
    define(module, "merge_violating", &merged, "table", "shapes", "requirements", "tuple_of",
           "class_of", "records", "bucket_of", "report");
    define(module, "merge_pairs", &paired, "table", "shapes", "violating", "tuple_of", "class_of",
           "records", "bucket_of", "report");
}
}  // namespace incrowd
