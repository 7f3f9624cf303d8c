// Local search: the classes of each bucket are made better among themselves, by moves that need not
// gain at first (local_search_moves.cpp); a few records are dealt as well as can be.
// Twin: tests/naive/classes.py.
#pragma once

#include <vector>

#include "clustering/gain_split.hpp"
#include "clustering/local_search_few_records.hpp"

namespace incrowd {
// `work`: cells that are looked at for each record.  Without a verdict all classes of k may be.
void local_search(const FixedTable& table, std::vector<ClassBucket>& buckets, uint64_t work,
                  const Verdict& verdict, size_t threads, Meter& meter);
}  // namespace incrowd
