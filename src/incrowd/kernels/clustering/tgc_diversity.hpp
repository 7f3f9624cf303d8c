// How diverse a class of records is, in quasi-identifiers and in sensitive values (Loukides and
// Shao 2008): Q-diversity is what a class costs in its columns, S-diversity the mean contribution
// of all ordered pairs of its sensitive values, and the weighted tuple diversity adds the two up.
//
// Sums go column by column, quasi-identifiers first, and are never contracted.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "clustering/class_shapes.hpp"
#include "core/integers.hpp"

namespace incrowd {
struct SensitiveValues {
    size_t n = 0;
    std::vector<double> contribution;  // (n, n): symmetric, 1 on the diagonal
    double weight = 0.0;               // in the weighted tuple diversity
    double importance = 0.0;           // in protection

    const double* of(int32_t value) const {
        return contribution.data() + static_cast<size_t>(value) * n;
    }
};

// The tuples of a table, and what makes classes of them diverse.
struct DiverseTuples {
    size_t n = 0;
    std::vector<int32_t> codes;             // (columns, tuples)
    std::vector<int32_t> values;            // (sensitive columns, tuples)
    std::vector<ShapeColumn> columns;       // each costs its Q-diversity
    std::vector<double> column_weight;      // in the weighted tuple diversity
    std::vector<double> column_importance;  // in utility
    std::vector<SensitiveValues> sensitive;

    int32_t code(size_t j, size_t tuple) const { return codes[j * n + tuple]; }
    int32_t value(size_t s, size_t tuple) const { return values[s * n + tuple]; }
};

// Records of one tuple in one class or subspace.
struct Part {
    int32_t tuple = 0;
    int32_t of = 0;
    int64_t records = 0;
};

// One class, and what a record would change in it.
class DiverseClass {
  public:
    explicit DiverseClass(const DiverseTuples& tuples);

    void join(size_t tuple, int64_t records);
    int64_t size() const { return size_; }
    // What the class adds to utility and to protection: sums over the columns by importance.
    double quasi() const;
    double sensitive() const;
    // The weighted tuple diversity.
    double diversity() const;
    // The part of it that any one more record would leave at least.
    double least_with() const;
    // The diversity with one more record; infinity as soon as it is known to be above `limit`, with
    // `least` what `least_with` says.
    double diversity_with(size_t tuple, double least, double limit) const;

  private:
    struct Values {
        std::vector<std::pair<int32_t, int64_t>> counts;  // by first appearance
        double contributions = 0.0;                       // over all ordered pairs
    };

    double near(size_t s, int32_t value) const;

    const DiverseTuples* tuples_;
    ClassShape shape_;
    std::vector<Values> values_;
    int64_t size_ = 0;
};

// The classes that parts of tuples make up; parts of class -1 belong to none.
std::vector<DiverseClass> classes_of(const DiverseTuples& tuples, std::span<const Part> parts,
                                     size_t n_classes);
}  // namespace incrowd
