// Mondrian: regions cut at medians, or into nodes of a hierarchy, of the widest column that has an
// allowable cut.  Twin: tests/naive/mondrian.py.
//
// Each cut reads the tuples of its region a few times.
// LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
#pragma once

#include "regions/region_search.hpp"

namespace incrowd::region_search {
enum class Split { median, relaxed, hierarchy };

Found mondrian(const Search& search, Split split, const Tuples& tuples);
}  // namespace incrowd::region_search
