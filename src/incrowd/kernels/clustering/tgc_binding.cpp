// Python's view of TGC.
#include "clustering/tgc.hpp"
#include "core/binding.hpp"

namespace incrowd {
namespace {
std::vector<Part> read_parts(const DiverseTuples& tuples, const Ints& tuple_of, const Ints& of,
                             const Counts& records, int64_t n_groups) {
    if (of.size() != tuple_of.size() || records.size() != tuple_of.size())
        refuse("parts", "a tuple, a class and records are needed for each");
    std::vector<Part> parts(tuple_of.size());
    for (size_t p = 0; p < parts.size(); ++p) {
        parts[p] = {tuple_of.data()[p], of.data()[p], records.data()[p]};
        if (parts[p].tuple < 0 || static_cast<size_t>(parts[p].tuple) >= tuples.n ||
            parts[p].of < -1 || parts[p].of >= n_groups || parts[p].records < 1)
            refuse("parts", "a part is out of range");
    }
    return parts;
}

std::vector<int32_t> checked_values(const Matrix& values,
                                    std::span<const SensitiveValues> sensitive, size_t n) {
    if (values.shape(0) != sensitive.size() || values.shape(1) != n)
        refuse("DiverseTuples", "one row of values per sensitive column");
    for (size_t at = 0; at < values.size(); ++at)
        if (values.data()[at] < 0 || static_cast<size_t>(values.data()[at]) >= sensitive[at / n].n)
            refuse("DiverseTuples", "a sensitive value is out of range");
    return copied(values);
}

std::vector<double> checked_weights(const Reals& weights, size_t columns) {
    if (weights.size() != columns) refuse("DiverseTuples", "one weight per column is needed");
    for (size_t at = 0; at < columns; ++at)
        if (!(weights.data()[at] >= 0)) refuse("DiverseTuples", "a weight is negative");
    return copied(weights);
}

std::vector<SensitiveValues> read_sensitive(const std::vector<In<double, 2>>& contributions,
                                            std::span<const double> weights,
                                            std::span<const double> importance) {
    std::vector<SensitiveValues> read;
    for (const auto& matrix : contributions) {
        if (matrix.shape(0) != matrix.shape(1))
            refuse("DiverseTuples", "contributions are not square");
        read.push_back(
            {matrix.shape(0), copied(matrix), weights[read.size()], importance[read.size()]});
    }
    return read;
}

void make_tuples(DiverseTuples* self, const Table& table, Matrix values, const Shapes& shapes,
                 Reals column_weights, std::vector<In<double, 2>> contributions,
                 Reals sensitive_weights, Reals column_importance, Reals sensitive_importance) {
    check_fit("DiverseTuples", table, shapes.columns);
    const auto codes = table.tuples().codes;
    DiverseTuples tuples;
    tuples.n = table.size();
    tuples.codes.assign(codes.begin(), codes.end());
    tuples.columns = shapes.columns;
    tuples.sensitive =
        read_sensitive(contributions, checked_weights(sensitive_weights, contributions.size()),
                       checked_weights(sensitive_importance, contributions.size()));
    tuples.values = checked_values(values, tuples.sensitive, tuples.n);
    tuples.column_weight = checked_weights(column_weights, tuples.columns.size());
    tuples.column_importance = checked_weights(column_importance, tuples.columns.size());
    new (self) DiverseTuples(std::move(tuples));
}

nb::tuple handed_over(std::span<const Part> parts) {
    std::vector<int32_t> tuple_of, of;
    std::vector<int64_t> records;
    for (const Part& part : parts) {
        tuple_of.push_back(part.tuple);
        of.push_back(part.of);
        records.push_back(part.records);
    }
    return hand_over(tuple_of, of, records);
}

nb::tuple diversities(const DiverseTuples& tuples, Ints tuple_of, Ints class_of, Counts records,
                      int64_t n_classes) {
    const auto parts = read_parts(tuples, tuple_of, class_of, records, n_classes);
    std::vector<double> quasi, sensitive, weighted;
    without_gil([&] {
        for (const DiverseClass& each : classes_of(tuples, parts, n_classes)) {
            quasi.push_back(each.quasi());
            sensitive.push_back(each.sensitive());
            weighted.push_back(each.diversity());
        }
    });
    return hand_over(quasi, sensitive, weighted);
}

nb::tuple subspaces(const DiverseTuples& tuples, Counts records, Reals widths, int64_t size,
                    double sensitive, int64_t protected_limit) {
    if (records.size() != tuples.n || widths.size() != tuples.columns.size() || size < 1)
        refuse("tgc_subspaces", "the arguments do not fit together");
    std::vector<Part> all;
    for (size_t i = 0; i < tuples.n; ++i) {
        if (records.data()[i] < 0) refuse("tgc_subspaces", "a tuple has no record");
        if (records.data()[i] > 0) all.push_back({static_cast<int32_t>(i), 0, records.data()[i]});
    }
    return handed_over(without_gil([&] {
        return tgc_subspaces(tuples, std::move(all), view(widths),
                             {size, sensitive, protected_limit});
    }));
}

nb::tuple clustered(const DiverseTuples& tuples, Ints tuple_of, Ints subspace_of, Counts records,
                    int64_t k, double threshold, bool random, uint64_t seed, size_t threads,
                    Meter::Report report) {
    const auto parts =
        read_parts(tuples, tuple_of, subspace_of, records, std::numeric_limits<int32_t>::max());
    for (size_t p = 0; p < parts.size(); ++p)
        if (parts[p].of < 0 || (p > 0 && parts[p].of < parts[p - 1].of))
            refuse("tgc", "subspaces are out of order");
    if (k < 1) refuse("tgc", "k is below 1");
    const auto found = metered(report, [&](Meter& meter) {
        return tgc(tuples, parts, {k, threshold, random, seed}, threads, meter);
    });
    return nb::make_tuple(handed_over(found.parts), found.n_classes);
}

nb::tuple reassigned(const DiverseTuples& tuples, Ints tuple_of, Ints class_of, Counts records,
                     Ints home, int64_t n_classes, bool total, int64_t nearest,
                     Meter::Report report) {
    const auto given = read_parts(tuples, tuple_of, class_of, records, n_classes);
    if (home.size() != given.size() || n_classes < 1)
        refuse("tgc_reassign", "a home per part, and a class");
    std::vector<Part> parts;
    std::vector<Rejected> rejected;
    for (size_t p = 0; p < given.size(); ++p) {
        if (home.data()[p] < 0 || home.data()[p] > n_classes)
            refuse("tgc_reassign", "a home is out of range");
        if (given[p].of >= 0) parts.push_back(given[p]);
        else rejected.push_back({given[p], home.data()[p]});
    }
    metered(report, [&](Meter& meter) {
        auto classes = classes_of(tuples, parts, n_classes);
        for (const DiverseClass& each : classes)
            if (each.size() == 0) refuse("tgc_reassign", "a class is empty");
        tgc_reassign(std::move(classes), std::move(rejected), total, nearest, parts, meter);
    });
    return handed_over(parts);
}
}  // namespace

void bind_tgc(nb::module_& module) {
    nb::class_<DiverseTuples>(module, "DiverseTuples")
        .def("__init__", &make_tuples, nb::arg("table"), nb::arg("values"), nb::arg("shapes"),
             nb::arg("column_weights"), nb::arg("contributions"), nb::arg("sensitive_weights"),
             nb::arg("column_importance"), nb::arg("sensitive_importance"));
    define(module, "tgc_diversities", &diversities, "tuples", "tuple_of", "class_of", "records",
           "n_classes");
    define(module, "tgc_subspaces", &subspaces, "tuples", "records", "widths", "size", "sensitive",
           "protected_limit");
    define(module, "tgc", &clustered, "tuples", "tuple_of", "subspace_of", "records", "k",
           "threshold", "random", "seed", "threads", "report");
    define(module, "tgc_reassign", &reassigned, "tuples", "tuple_of", "class_of", "records", "home",
           "n_classes", "total", "nearest", "report");
}
}  // namespace incrowd
