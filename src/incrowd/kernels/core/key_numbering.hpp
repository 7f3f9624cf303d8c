// Numbers 64-bit keys by first appearance.  O(keys), one pass.  Twin:
// tests/naive/counting.py::group.
//
// Small key spaces are addressed directly; larger ones go through an open-addressing table of class
// numbers that is at most half full.  The buffers are reused from call to call.
#pragma once

#include <vector>

#include "core/integers.hpp"

namespace incrowd {
// Keys must stay below this, so that a product of sizes can be checked before it overflows.
constexpr uint64_t kKeyLimit = uint64_t{1} << 63;

class KeyNumbering {
  public:
    // Writes the class of each of the n keys to `class_of` and returns how many classes there are.
    // All keys are below `key_space`.
    int32_t number(const uint64_t* keys, size_t n, uint64_t key_space, int32_t* class_of);

    // The same in place, for a key space that is small enough to be addressed directly.
    int32_t number_small(int32_t* keys, size_t n, uint64_t key_space);

  private:
    template <typename Key>
    int32_t directly(const Key* keys, size_t n, int32_t* class_of);
    int32_t by_hash(const uint64_t* keys, size_t n, int32_t* class_of);

    std::vector<int32_t> direct_;      // by key: its class, or -1; all -1 between calls
    std::vector<int32_t> hashed_;      // by slot: a class, or -1
    std::vector<uint64_t> class_key_;  // by class
};
}  // namespace incrowd
