// How many records fall at a node, guessed from a node nearby that was counted.
//
// A column that goes down a level multiplies the records that fall, by much the same factor
// wherever it does so.  The logarithms of these factors are learnt by column and level: what a
// guess was off is shared evenly by the steps between the two nodes.  Guesses decide only which
// nodes are tried, and in which order.  Logarithms are integers, the same on every machine.
// Twin: tests/naive/fall_guess.py.
#pragma once

#include <vector>

#include "lattice/column.hpp"

namespace incrowd {
class FallGuess {
  public:
    static constexpr int64_t kBit = 4096;  // a factor of two

    explicit FallGuess(const Levels& top) {
        for (const uint8_t height : top) more_.emplace_back(height, 0);
    }

    bool has(const Levels& levels) const;

    // The logarithm of a number of records plus one, straight between powers of two.
    static int64_t logarithm(int64_t records);
    static double records(int64_t logarithm);

    // What one column adds to the logarithm on its way from a level to another.
    int64_t more(size_t j, uint8_t from, uint8_t to) const;
    // Learns from how many records fall at two nodes.
    void learn(const Levels& from, int64_t fell, const Levels& to, int64_t fall);

  private:
    // By column and level: from the level above to this one.  Never less than nothing.
    std::vector<std::vector<int64_t>> more_;
};
}  // namespace incrowd
