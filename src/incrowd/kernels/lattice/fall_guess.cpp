#include "lattice/fall_guess.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace incrowd {
bool FallGuess::has(const Levels& levels) const {
    return std::equal(levels.begin(), levels.end(), more_.begin(), more_.end(),
                      [](uint8_t level, const auto& own) { return level <= own.size(); });
}

int64_t FallGuess::logarithm(int64_t records) {
    const auto number = static_cast<uint64_t>(records) + 1;
    const int whole = std::bit_width(number) - 1;
    const double part = std::ldexp(static_cast<double>(number), -whole) - 1;
    return whole * kBit + static_cast<int64_t>(part * static_cast<double>(kBit));
}

double FallGuess::records(int64_t logarithm) {
    if (logarithm <= 0) return 0;
    const double part = static_cast<double>(logarithm % kBit) / static_cast<double>(kBit);
    return std::ldexp(1 + part, static_cast<int>(logarithm / kBit)) - 1;
}

int64_t FallGuess::more(size_t j, uint8_t from, uint8_t to) const {
    int64_t sum = 0;
    for (size_t level = to; level < from; ++level) sum += more_[j][level];
    for (size_t level = from; level < to; ++level) sum -= more_[j][level];
    return sum;
}

void FallGuess::learn(const Levels& from, int64_t fell, const Levels& to, int64_t fall) {
    int64_t steps = 0, off = logarithm(fall) - logarithm(fell);
    for (size_t j = 0; j < more_.size(); ++j) {
        off -= more(j, from[j], to[j]);
        steps += std::abs(from[j] - to[j]);
    }
    if (steps == 0) return;
    for (size_t j = 0; j < more_.size(); ++j) {
        const int64_t share = from[j] > to[j] ? off / steps : -(off / steps);
        for (size_t level = std::min(from[j], to[j]); level < std::max(from[j], to[j]); ++level)
            more_[j][level] = std::max<int64_t>(0, more_[j][level] + share);
    }
}
}  // namespace incrowd
