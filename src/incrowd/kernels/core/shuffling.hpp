// Numbers put in random order where they stand, by the words of whoever calls.  O(words).
//
// The shuffle of Fisher and Yates, from the end: the last of the numbers that are left changes
// places with any of them, itself included.  A word becomes a place by a multiplication (Lemire,
// "Fast Random Integer Generation in an Interval", 2019, doi:10.1145/3230636); words that would
// make some places likelier than others are passed over.  So with uniform words every order is
// equally likely, exactly.  Twin: tests/naive/shuffling.py::shuffle.
#pragma once

#include <span>

#include "core/integers.hpp"

namespace incrowd {
// Goes on with a shuffle of which `left` numbers are left, as far as the words reach; returns how
// many are left then.  One that is left is no longer to be shuffled.
size_t shuffle(std::span<int32_t> numbers, size_t left, std::span<const uint32_t> words);
}  // namespace incrowd
