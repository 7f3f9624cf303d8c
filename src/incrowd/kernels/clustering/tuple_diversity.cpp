#include "clustering/tuple_diversity.hpp"

#include <limits>
#include <stdexcept>

namespace incrowd {

DiverseClass::DiverseClass(const DiverseTuples& tuples)
    : tuples_(&tuples), shape_(tuples.columns), values_(tuples.sensitive.size()) {}

double DiverseClass::near(std::size_t s, std::int32_t value) const {
    const double* contribution = tuples_->sensitive[s].of(value);
    double sum = 0.0;
    for (const auto& [other, count] : values_[s].counts)
        sum += static_cast<double>(count) * contribution[other];
    return sum;
}

void DiverseClass::join(std::size_t tuple, std::int64_t records) {
    for (std::size_t j = 0; j < tuples_->columns.size(); ++j)
        shape_.join(j, tuples_->code(j, tuple));
    const auto added = static_cast<double>(records);
    for (std::size_t s = 0; s < values_.size(); ++s) {
        Values& values = values_[s];
        const std::int32_t value = tuples_->value(s, tuple);
        values.contributions += 2.0 * added * near(s, value) + added * added;
        std::size_t at = 0;
        while (at < values.counts.size() && values.counts[at].first != value) ++at;
        if (at == values.counts.size()) values.counts.emplace_back(value, 0);
        values.counts[at].second += records;
    }
    size_ += records;
}

double DiverseClass::quasi() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < tuples_->columns.size(); ++j)
        sum += tuples_->column_importance[j] * shape_.cost(j);
    return sum;
}

double DiverseClass::sensitive() const {
    const double pairs = static_cast<double>(size_) * static_cast<double>(size_);
    double sum = 0.0;
    for (std::size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].importance * (values_[s].contributions / pairs);
    return sum;
}

double DiverseClass::diversity() const {
    const double pairs = static_cast<double>(size_) * static_cast<double>(size_);
    double sum = 0.0;
    for (std::size_t j = 0; j < tuples_->columns.size(); ++j)
        sum += tuples_->column_weight[j] * shape_.cost(j);
    for (std::size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].weight * (values_[s].contributions / pairs);
    return sum;
}

double DiverseClass::least_with() const {
    const double pairs = static_cast<double>(size_ + 1) * static_cast<double>(size_ + 1);
    double sum = 0.0;
    for (std::size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].weight * ((values_[s].contributions + 1.0) / pairs);
    return sum;
}

double DiverseClass::diversity_with(std::size_t tuple, double least, double limit) const {
    const double pairs = static_cast<double>(size_ + 1) * static_cast<double>(size_ + 1);
    double sum = 0.0;
    for (std::size_t j = 0; j < tuples_->columns.size(); ++j) {
        if (tuples_->column_weight[j] == 0.0) continue;
        sum += tuples_->column_weight[j] * shape_.cost_with(j, tuples_->code(j, tuple));
        if (sum + least > limit) return std::numeric_limits<double>::infinity();
    }
    for (std::size_t s = 0; s < values_.size(); ++s) {
        const double weight = tuples_->sensitive[s].weight;
        if (weight == 0.0) continue;
        const double contributions =
            values_[s].contributions + 2.0 * near(s, tuples_->value(s, tuple)) + 1.0;
        sum += weight * (contributions / pairs);
    }
    return sum;
}

std::vector<DiverseClass> classes_of(const DiverseTuples& tuples, std::span<const Part> parts,
                                     std::size_t n_classes) {
    std::vector<DiverseClass> classes(n_classes, DiverseClass(tuples));
    for (const Part& part : parts)
        if (part.of >= 0) classes[part.of].join(part.tuple, part.records);
    return classes;
}

std::vector<Part> read_parts(const DiverseTuples& tuples, In<std::int32_t, 1> tuple_of,
                             In<std::int32_t, 1> of, In<std::int64_t, 1> records,
                             std::int64_t n_groups) {
    if (of.size() != tuple_of.size() || records.size() != tuple_of.size())
        throw std::invalid_argument("parts: a tuple, a class and records are needed for each");
    std::vector<Part> parts(tuple_of.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        parts[p] = {tuple_of.data()[p], of.data()[p], records.data()[p]};
        if (parts[p].tuple < 0 || static_cast<std::size_t>(parts[p].tuple) >= tuples.n ||
            parts[p].of < -1 || parts[p].of >= n_groups || parts[p].records < 1)
            throw std::invalid_argument("parts: a part is out of range");
    }
    return parts;
}

nb::tuple write_parts(std::span<const Part> parts) {
    std::vector<std::int32_t> tuple_of, of;
    std::vector<std::int64_t> records;
    for (const Part& part : parts) {
        tuple_of.push_back(part.tuple);
        of.push_back(part.of);
        records.push_back(part.records);
    }
    return nb::make_tuple(to_numpy(std::move(tuple_of)), to_numpy(std::move(of)),
                          to_numpy(std::move(records)));
}

namespace {

std::vector<std::int32_t> checked_values(In<std::int32_t, 2> values,
                                         std::span<const SensitiveValues> sensitive,
                                         std::size_t n) {
    if (values.shape(0) != sensitive.size() || values.shape(1) != n)
        throw std::invalid_argument("DiverseTuples: one row of values per sensitive column");
    for (std::size_t at = 0; at < values.size(); ++at)
        if (values.data()[at] < 0 ||
            static_cast<std::size_t>(values.data()[at]) >= sensitive[at / n].n)
            throw std::invalid_argument("DiverseTuples: a sensitive value is out of range");
    return {values.data(), values.data() + values.size()};
}

std::vector<double> checked_weights(In<double, 1> weights, std::size_t columns) {
    if (weights.size() != columns)
        throw std::invalid_argument("DiverseTuples: one weight per column is needed");
    for (std::size_t at = 0; at < columns; ++at)
        if (!(weights.data()[at] >= 0))
            throw std::invalid_argument("DiverseTuples: a weight is negative");
    return {weights.data(), weights.data() + columns};
}

std::vector<SensitiveValues> read_sensitive(nb::list contributions, std::span<const double> weights,
                                            std::span<const double> importance) {
    std::vector<SensitiveValues> read;
    for (nb::handle each : contributions) {
        const auto matrix = nb::cast<In<double, 2>>(each);
        if (matrix.shape(0) != matrix.shape(1))
            throw std::invalid_argument("DiverseTuples: contributions are not square");
        read.push_back({matrix.shape(0),
                        {matrix.data(), matrix.data() + matrix.size()},
                        weights[read.size()],
                        importance[read.size()]});
    }
    return read;
}

void make_tuples(DiverseTuples* self, In<std::int32_t, 2> codes, In<std::int32_t, 2> values,
                 nb::list columns, In<double, 1> column_weights, nb::list contributions,
                 In<double, 1> sensitive_weights, In<double, 1> column_importance,
                 In<double, 1> sensitive_importance) {
    DiverseTuples tuples;
    tuples.n = codes.shape(1);
    tuples.codes = {codes.data(), codes.data() + codes.size()};
    tuples.columns = shape_columns(columns);
    check_codes(tuples.columns, tuples.codes, tuples.n);
    tuples.sensitive =
        read_sensitive(contributions, checked_weights(sensitive_weights, contributions.size()),
                       checked_weights(sensitive_importance, contributions.size()));
    tuples.values = checked_values(values, tuples.sensitive, tuples.n);
    tuples.column_weight = checked_weights(column_weights, tuples.columns.size());
    tuples.column_importance = checked_weights(column_importance, tuples.columns.size());
    new (self) DiverseTuples(std::move(tuples));
}

}  // namespace

void bind_tuple_diversity(nb::module_& module) {
    nb::class_<DiverseTuples>(module, "DiverseTuples")
        .def("__init__", &make_tuples, nb::arg("codes"), nb::arg("values"), nb::arg("columns"),
             nb::arg("column_weights"), nb::arg("contributions"), nb::arg("sensitive_weights"),
             nb::arg("column_importance"), nb::arg("sensitive_importance"));
    module.def(
        "class_diversities",
        [](const DiverseTuples& tuples, In<std::int32_t, 1> tuple_of, In<std::int32_t, 1> class_of,
           In<std::int64_t, 1> records, std::int64_t n_classes) {
            const auto parts = read_parts(tuples, tuple_of, class_of, records, n_classes);
            std::vector<double> quasi, sensitive, weighted;
            {
                nb::gil_scoped_release release;
                for (const auto& each : classes_of(tuples, parts, n_classes)) {
                    quasi.push_back(each.quasi());
                    sensitive.push_back(each.sensitive());
                    weighted.push_back(each.diversity());
                }
            }
            return nb::make_tuple(to_numpy(std::move(quasi)), to_numpy(std::move(sensitive)),
                                  to_numpy(std::move(weighted)));
        },
        nb::arg("tuples"), nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("records"),
        nb::arg("n_classes"));
}

}  // namespace incrowd
