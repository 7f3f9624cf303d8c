// Numbers 64-bit keys by first appearance, however many come and in however many pieces.  O(keys);
// memory follows the different keys.  Twin: tests/naive/counting.py::group.
//
// Small key spaces are addressed directly; larger ones go through an open-addressing table of class
// numbers that is at most half full and grows.  The keys of a piece are looked up together, so that
// one wait for memory serves many of them.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
class KeyTable {
  public:
    // All keys are below `key_space`; `rows` of them are expected.
    KeyTable(uint64_t key_space, size_t rows);

    // Writes the class of each key to `class_of`; the first of them is that of row `row`.
    void number(std::span<const uint64_t> keys, size_t row, int32_t* class_of);

    // By class: its first row.
    std::vector<int64_t>& first() { return first_; }

  private:
    void directly(std::span<const uint64_t> keys, size_t row, int32_t* class_of);
    void by_hash(std::span<const uint64_t> keys, size_t row, int32_t* class_of);
    size_t slot_of(uint64_t key) const;
    void make_slots(size_t wanted);
    void make_room(size_t keys);
    int32_t add(uint64_t key, size_t row);

    const bool direct_;
    std::vector<int32_t> table_;  // by key or slot: a class, or -1
    int shift_ = 0;               // of a hash that leaves a slot
    std::vector<uint64_t> keys_;  // by class, if they are hashed
    std::vector<int64_t> first_;
};
}  // namespace incrowd
