#include "clustering/tgc_diversity.hpp"

#include <limits>

namespace incrowd {
DiverseClass::DiverseClass(const DiverseTuples& tuples)
    : tuples_(&tuples), shape_(tuples.columns), values_(tuples.sensitive.size()) {}

double DiverseClass::near(size_t s, int32_t value) const {
    const double* contribution = tuples_->sensitive[s].of(value);
    double sum = 0.0;
    for (const auto& [other, count] : values_[s].counts)
        sum += static_cast<double>(count) * contribution[other];
    return sum;
}

void DiverseClass::join(size_t tuple, int64_t records) {
    for (size_t j = 0; j < tuples_->columns.size(); ++j) shape_.join(j, tuples_->code(j, tuple));
    const auto added = static_cast<double>(records);
    for (size_t s = 0; s < values_.size(); ++s) {
        Values& values = values_[s];
        const int32_t value = tuples_->value(s, tuple);
        values.contributions += 2.0 * added * near(s, value) + added * added;
        size_t at = 0;
        while (at < values.counts.size() && values.counts[at].first != value) ++at;
        if (at == values.counts.size()) values.counts.emplace_back(value, 0);
        values.counts[at].second += records;
    }
    size_ += records;
}

double DiverseClass::quasi() const {
    double sum = 0.0;
    for (size_t j = 0; j < tuples_->columns.size(); ++j)
        sum += tuples_->column_importance[j] * shape_.cost(j);
    return sum;
}

double DiverseClass::sensitive() const {
    const double pairs = static_cast<double>(size_) * static_cast<double>(size_);
    double sum = 0.0;
    for (size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].importance * (values_[s].contributions / pairs);
    return sum;
}

double DiverseClass::diversity() const {
    const double pairs = static_cast<double>(size_) * static_cast<double>(size_);
    double sum = 0.0;
    for (size_t j = 0; j < tuples_->columns.size(); ++j)
        sum += tuples_->column_weight[j] * shape_.cost(j);
    for (size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].weight * (values_[s].contributions / pairs);
    return sum;
}

double DiverseClass::least_with() const {
    const double pairs = static_cast<double>(size_ + 1) * static_cast<double>(size_ + 1);
    double sum = 0.0;
    for (size_t s = 0; s < values_.size(); ++s)
        sum += tuples_->sensitive[s].weight * ((values_[s].contributions + 1.0) / pairs);
    return sum;
}

double DiverseClass::diversity_with(size_t tuple, double least, double limit) const {
    const double pairs = static_cast<double>(size_ + 1) * static_cast<double>(size_ + 1);
    double sum = 0.0;
    for (size_t j = 0; j < tuples_->columns.size(); ++j) {
        if (tuples_->column_weight[j] == 0.0) continue;
        sum += tuples_->column_weight[j] * shape_.cost_with(j, tuples_->code(j, tuple));
        if (sum + least > limit) return std::numeric_limits<double>::infinity();
    }
    for (size_t s = 0; s < values_.size(); ++s) {
        const double weight = tuples_->sensitive[s].weight;
        if (weight == 0.0) continue;
        const double contributions =
            values_[s].contributions + 2.0 * near(s, tuples_->value(s, tuple)) + 1.0;
        sum += weight * (contributions / pairs);
    }
    return sum;
}

std::vector<DiverseClass> classes_of(const DiverseTuples& tuples, std::span<const Part> parts,
                                     size_t n_classes) {
    std::vector<DiverseClass> classes(n_classes, DiverseClass(tuples));
    for (const Part& part : parts)
        if (part.of >= 0) classes[part.of].join(part.tuple, part.records);
    return classes;
}
}  // namespace incrowd
