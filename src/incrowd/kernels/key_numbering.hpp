// Numbers 64-bit keys by first appearance.  O(keys), one pass.  Twin: tests/naive.py::group.
//
// Small key spaces are addressed directly; larger ones go through an open-addressing table of class
// numbers that is at most half full.  Keys are computed as they are needed, by `key_at(i)`, so that
// no array of them is written and read again.  The buffers are reused from call to call.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace incrowd {

// Keys must stay below this, so that a product of sizes can be checked before it overflows.
constexpr std::uint64_t kKeyLimit = std::uint64_t{1} << 63;

class KeyNumbering {
  public:
    // Writes the class of each of n keys to `class_of` and returns how many classes there are.
    // All keys are below `key_space`.
    template <typename KeyAt>
    std::int32_t number(std::size_t n, std::uint64_t key_space, std::int32_t* class_of,
                        KeyAt key_at) {
        if (class_key_.size() < n + 2) class_key_.resize(n + 2);
        return key_space <= kDirectKeys ? directly(n, class_of, key_at)
                                        : by_hash(n, class_of, key_at);
    }

  private:
    static constexpr std::uint64_t kDirectKeys = 1u << 18;  // beyond it, hashing touches less memory

    // Whether a key is new is hard to guess, so it is not branched on: every key is stored as if it
    // were the next new one, and the count of classes moves on only if it was.
    template <typename KeyAt>
    std::int32_t directly(std::size_t n, std::int32_t* class_of, KeyAt key_at) {
        if (direct_.empty()) direct_.resize(kDirectKeys, -1);
        std::int32_t classes = 0;
        std::int32_t* direct = direct_.data();
        std::uint64_t* class_key = class_key_.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t key = key_at(i);
            const std::int32_t known = direct[key];
            const std::int32_t at = known < 0 ? classes : known;
            direct[key] = at;
            class_key[classes] = key;
            classes += known < 0;
            class_of[i] = at;
        }
        for (std::int32_t at = 0; at < classes; ++at) direct[class_key[at]] = -1;
        return classes;
    }

    template <typename KeyAt>
    std::int32_t by_hash(std::size_t n, std::int32_t* class_of, KeyAt key_at) {
        const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(16, n * 2));
        hashed_.assign(capacity, 0);
        const int shift = 64 - std::countr_zero(capacity);
        std::int32_t classes = 0;
        std::int32_t* table = hashed_.data();
        std::uint64_t* class_key = class_key_.data();  // of class c at c + 1: 0 is an empty slot
        class_key[0] = kKeyLimit;                      // no key
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t key = key_at(i);
            // Multiplicative hashing: the high bits of the product depend on all bits of the key.
            std::size_t slot = ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL) >> shift;
            std::int32_t known = table[slot];
            while (((known != 0) & (class_key[known] != key)) != 0) {
                slot = (slot + 1) & (capacity - 1);
                known = table[slot];
            }
            const std::int32_t at = known == 0 ? classes + 1 : known;
            table[slot] = at;
            class_key[classes + 1] = key;
            classes += known == 0;
            class_of[i] = at - 1;
        }
        return classes;
    }

    std::vector<std::int32_t> direct_;      // by key: its class, or -1; all -1 between calls
    std::vector<std::int32_t> hashed_;      // by slot: a class plus 1, or 0
    std::vector<std::uint64_t> class_key_;  // by class
};

}  // namespace incrowd
