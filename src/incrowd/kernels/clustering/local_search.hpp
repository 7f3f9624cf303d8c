// Local search: the classes of each bucket are made better among themselves, by moves that need not
// gain at first (local_search_moves.cpp); a few records are dealt as well as can be.
// Twin: tests/naive/classes.py.
#pragma once

#include <vector>

#include "clustering/gain_split.hpp"
#include "clustering/local_search_few_records.hpp"
#include "clustering/local_search_moves.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
// What classes must hold beside k records each; nothing, if neither is there.
struct ClassRules {
    const Requirements* requirements = nullptr;
    Verdict verdict;  // for what only Python can say

    bool any() const { return requirements != nullptr || verdict != nullptr; }
};

// What says which of some classes hold the rules; nothing, if there are none.
Verdict verdict_of(const ClassRules& rules);

// Makes the classes of a bucket better: those, the bucket's seed, who may object, and what to call
// before each step.
using BucketSearch =
    std::function<void(EditableClasses&, uint64_t, const StepJudge&, const std::function<void()>&)>;

// Searches each bucket by itself; one that got no better stays as it was.  A few records are dealt
// as well as can be.
void improve_buckets(const FixedTable& table, std::vector<ClassBucket>& buckets,
                     const ClassRules& rules, size_t threads, Meter& meter,
                     const BucketSearch& search);

// `work`: cells that are looked at for each record.  Every class of the buckets holds the rules,
// and so does every class afterwards.
void local_search(const FixedTable& table, std::vector<ClassBucket>& buckets, uint64_t work,
                  const ClassRules& rules, size_t threads, Meter& meter);
}  // namespace incrowd
