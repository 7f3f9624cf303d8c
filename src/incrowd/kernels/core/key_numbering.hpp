// Numbers 64-bit keys by first appearance.  O(keys), one pass.
// Twin: tests/naive/counting.py::group.
//
// Small key spaces are addressed directly; larger ones go through an open-addressing table of class
// numbers that is at most half full.  The buffers are reused from call to call.
#pragma once

#include <cstdint>
#include <vector>

namespace incrowd {

// Keys must stay below this, so that a product of sizes can be checked before it overflows.
constexpr std::uint64_t kKeyLimit = std::uint64_t{1} << 63;

class KeyNumbering {
  public:
    // Writes the class of each of the n keys to `class_of` and returns how many classes there are.
    // All keys are below `key_space`.
    std::int32_t number(const std::uint64_t* keys, std::size_t n, std::uint64_t key_space,
                        std::int32_t* class_of);

  private:
    std::int32_t directly(const std::uint64_t* keys, std::size_t n, std::int32_t* class_of);
    std::int32_t by_hash(const std::uint64_t* keys, std::size_t n, std::int32_t* class_of);

    std::vector<std::int32_t> direct_;      // by key: its class, or -1; all -1 between calls
    std::vector<std::int32_t> hashed_;      // by slot: a class, or -1
    std::vector<std::uint64_t> class_key_;  // by class
};

}  // namespace incrowd
