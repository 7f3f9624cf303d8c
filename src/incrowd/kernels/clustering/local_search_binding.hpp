// What the bindings of searches for classes share.
#pragma once

#include "clustering/binding.hpp"
#include "clustering/local_search.hpp"

namespace incrowd {
FixedTable read_table(nb::list columns, const Matrix& codes, int64_t k);

// Classes and their buckets as Python knows them.
nb::tuple handed_over(const std::vector<ClassBucket>& buckets);

std::vector<ClassBucket> read_buckets(const FixedTable& table, const Ints& tuple_of,
                                      const Ints& class_of, const Counts& records,
                                      const Ints& bucket_of, uint64_t seed);

// Asks Python about classes; called from other threads, which do not hold the GIL.
Verdict ask(nb::object judge);
}  // namespace incrowd
