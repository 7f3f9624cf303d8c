// Threshold-based greedy clustering (Loukides and Shao 2008, Algorithm 1) of the records of each
// subspace: a class takes the record that leaves it least diverse, until that would be above the
// threshold.  Classes of fewer than k records are rejected.
//
// Tuples stand for their records; the result is that of the algorithm run record by record, with
// ties going to the first tuple.  Cost: records x distinct tuples of the subspace.  Subspaces are
// independent of each other, each with a generator of its own: the number of threads changes
// nothing. Twin: tests/naive/tgc.py.
#pragma once

#include <span>
#include <vector>

#include "clustering/tgc_diversity.hpp"
#include "core/workers.hpp"

namespace incrowd {
struct SubspaceLimits {
    int64_t size;        // records that each half needs
    double sensitive;    // sum of the S-diversities, by importance, that each half may have
    int64_t protected_;  // a subspace with more records is cut whatever its halves' diversity
};

// Before it: the subspaces that the records are divided into (tgc_subspaces.cpp).
std::vector<Part> tgc_subspaces(const DiverseTuples& tuples, std::vector<Part>&& all,
                                std::span<const double> widths, const SubspaceLimits& limits);

struct TgcRules {
    int64_t k;
    double threshold;
    bool random;  // whether a class starts at a random record, or at the first one left
    uint64_t seed;
};

struct Clustered {
    std::vector<Part> parts;  // -1: rejected
    int32_t n_classes = 0;
};

// Parts come subspace by subspace.
Clustered tgc(const DiverseTuples& tuples, std::span<const Part> parts, const TgcRules& rules,
              size_t threads, Meter& meter);

struct Rejected {
    Part part;
    int32_t home;
};

// After it: rejected records join classes, and are added to `parts` (tgc_reassigning.cpp).  By the
// `total` rule, or the printed one; so many of the `nearest` classes are looked at, 0 for all.
void tgc_reassign(std::vector<DiverseClass>&& classes, std::vector<Rejected> rejected, bool total,
                  int64_t nearest, std::vector<Part>& parts, Meter& meter);
}  // namespace incrowd
