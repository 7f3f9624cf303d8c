// Classes that break a requirement, merged with others until none does.
//
// The violating class with the fewest records is merged with the class of its bucket that adds the
// least loss; where its bucket has no other class, with the nearest of all.  One merge at a time: a
// merged class is looked at again before it takes part in another, so no chain of classes falls
// together.  One class of all records is the end.  Ties go to the lowest number; a merged class has
// the lower number of the two, and lies in the bucket of the one that was chosen.
// Cost: O(violating classes x classes of a bucket x columns), plus that of adding up their cells.
// Twin: tests/naive/merging.py.
#pragma once

#include <span>
#include <vector>

#include "clustering/class_shapes.hpp"
#include "core/tuples.hpp"
#include "core/workers.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
struct BucketedClasses {
    std::vector<ShapeColumn> columns;
    std::vector<int32_t> codes;  // (tuples, columns), row by row
    std::vector<Shares> classes;
    std::vector<int32_t> bucket_of;  // by class

    const int32_t* row(int32_t tuple) const {
        return codes.data() + static_cast<size_t>(tuple) * columns.size();
    }
};

// Classes and buckets are numbered anew, in the order of their lowest numbers.
struct MergedClasses {
    std::vector<int32_t> into;       // by class before: its class now
    std::vector<int32_t> bucket_of;  // by class now
};

MergedClasses merge_violating(const BucketedClasses& given, const Requirements& requirements,
                              Meter& meter);

// One round for requirements that only Python can ask: by the same rule, but each class is in one
// merge at most.  A violating class whose bucket has others, all of them merged, waits.
MergedClasses merge_pairs(const BucketedClasses& given, std::span<const uint8_t> violating,
                          Meter& meter);
}  // namespace incrowd
