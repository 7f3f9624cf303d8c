// What the bindings of searches for classes share.
#pragma once

#include "clustering/local_search.hpp"
#include "requirements/binding.hpp"

namespace incrowd {
FixedTable fixed_table(const Table& table, const Shapes& shapes, int64_t k);

// Checks that requirements, if there are any, are about the table.
void check_asked(const Requirements* requirements, const Table& table);

// Classes and their buckets as Python knows them.
nb::tuple handed_over(const std::vector<ClassBucket>& buckets);

std::vector<ClassBucket> read_buckets(const FixedTable& table, const Ints& tuple_of,
                                      const Ints& class_of, const Counts& records,
                                      const Ints& bucket_of, uint64_t seed);

// Asks Python about classes; called from other threads, which do not hold the GIL.
Verdict ask(nb::object judge);
}  // namespace incrowd
