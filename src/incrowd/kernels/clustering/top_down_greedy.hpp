// Divides records in two around a pair of far ones, and each side again, while both sides can have
// k records: Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
//
// Works on distinct tuples with counts; a tuple is divided only where a side borrows some of its
// records.  Each side has a random generator of its own, seeded by its parent's, so that the
// classes are the same on any number of threads.  Cost: O(tuples x columns x depth of the
// divisions). Twin: tests/naive/top_down_greedy.py.
#pragma once

#include "clustering/buckets.hpp"
#include "clustering/class_shapes.hpp"
#include "core/tuples.hpp"

namespace incrowd {
struct Division {
    std::vector<ShapeColumn> columns;
    std::vector<int32_t> rows;  // codes, tuple by tuple
    int64_t k;
    int64_t rounds;

    const int32_t* row(const Share& item) const {
        return rows.data() + static_cast<size_t>(item.tuple) * columns.size();
    }
};

Dealt top_down_greedy(const Division& division, const Tuples& tuples, uint64_t seed, size_t threads,
                      Meter& meter);
}  // namespace incrowd
