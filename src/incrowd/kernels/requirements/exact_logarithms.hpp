// Comparisons with logarithms, exactly: the sign of a sum of whole multiples of logarithms.
//
// Doubles decide wherever their error bound allows.  Inside it a sum of logarithms alone is zero
// exactly if every prime cancels, which is tested by factoring; any other sum is not zero, and is
// computed with more and more digits until its sign shows.  So a class whose entropy is ln 3 to the
// last digit holds, and one just below does not.
#pragma once

#include <span>

#include "core/integers.hpp"

namespace incrowd {
struct LogTerm {
    int64_t factor;
    uint64_t of;  // 1 or more, below 2^62
};

// first x second / (third x fourth), each below 2^62.
struct Ratio {
    uint64_t first = 0, second = 1, third = 1, fourth = 1;
};

// The sign (-1, 0, 1) of plus - minus + the sum of factor x ln(of).  If a ratio is not 0, the whole
// must not be: a rational number is no logarithm of another one than 1.
int sign_of_logarithms(std::span<const LogTerm> terms, Ratio plus = {}, Ratio minus = {});
}  // namespace incrowd
