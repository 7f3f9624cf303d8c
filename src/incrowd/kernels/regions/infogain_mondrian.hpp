// InfoGain Mondrian: the cut of a region that tells the classes of a target apart best.
//
// Numbers are cut between two values, other columns into the children of the lowest node over the
// region; all sides must hold what is required.  The score of a cut is the entropy of the classes
// in each side times its records, summed.  Twin: tests/naive/infogain.py. LeFevre, DeWitt,
// Ramakrishnan, "Workload-aware anonymization", KDD 2006.
#pragma once

#include <span>
#include <vector>

#include "regions/region_search.hpp"

namespace incrowd::region_search {
using Classes = std::span<const int32_t>;  // by tuple

Found infogain_mondrian(const Search& search, const Tuples& tuples, Classes classes);
}  // namespace incrowd::region_search
