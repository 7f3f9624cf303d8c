// Local search: the classes of each bucket are made better among themselves, by moves that need not
// gain at first (local_search_moves.cpp); a few records are dealt as well as can be.
// Twin: tests/naive/classes.py.
#pragma once

#include <vector>

#include "clustering/gain_split.hpp"
#include "clustering/local_search_few_records.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
// What classes must hold beside k records each; nothing, if neither is there.
struct ClassRules {
    const Requirements* requirements = nullptr;
    Verdict verdict;  // for what only Python can say

    bool any() const { return requirements != nullptr || verdict != nullptr; }
};

// `work`: cells that are looked at for each record.  Every class of the buckets holds the rules,
// and so does every class afterwards.
void local_search(const FixedTable& table, std::vector<ClassBucket>& buckets, uint64_t work,
                  const ClassRules& rules, size_t threads, Meter& meter);
}  // namespace incrowd
