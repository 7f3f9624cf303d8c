// k-member clustering for protection: classes of exactly k records whose sensitive values help
// least to guess each other.  The objective function of k-member clustering (Byun et al. 2007) is
// replaced by S-diversity; Loukides and Shao, PAIS 2008. Only the sensitive values decide, so
// records are chosen by their profile, the combination of them: O(records x profiles).  Twin:
// tests/naive/clustering.py.
#pragma once

#include <span>
#include <vector>

#include "clustering/buckets.hpp"
#include "core/tuples.hpp"

namespace incrowd {
// How much each pair of values of a sensitive column helps to guess one from the other.
struct Contributions {
    size_t n_codes;
    std::vector<int64_t> pairs;

    // `given` is (values, values), each from 0 to 1.
    Contributions(std::span<const double> given, size_t n_values);

    const int64_t* of(int32_t value) const { return pairs.data() + value * n_codes; }
};

Dealt k_members_p(const std::vector<Contributions>& columns, const Tuples& tuples, int64_t k,
                  const std::vector<Bucket>& buckets, size_t threads, Meter& meter);
}  // namespace incrowd
