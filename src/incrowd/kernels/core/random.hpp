// Random numbers that are the same everywhere.
#pragma once

#include <cstddef>

#include "core/integers.hpp"

namespace incrowd {
// SplitMix64 (Steele, Lea and Flood, 2014).
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // One of 0, 1 ... n - 1; n is far below 2^64, so that no number is noticeably more likely.
    uint64_t below(uint64_t n) { return next() % n; }
    // At least 0 and less than 1.
    double share() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    uint64_t state_;
};
}  // namespace incrowd
