// The state of a class while a search changes it: what its records carry, and whether that meets
// every requirement.
//
// Searches that put records into classes suppress nobody, so every class is taken by itself, over
// all columns, and compared with the whole table.  Twin: tests/naive/requirements.py::class_holds.
#pragma once

#include <span>
#include <vector>

#include "core/tuples.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
class ClassState {
  public:
    ClassState() = default;
    // Of these records.  Cost: that of sorting them, for each spread.
    ClassState(const Requirements& requirements, std::span<const Share> shares);

    // Records of one kind join, or leave if there are less than 0: such that are in the class.
    // Cost: O(cells) for each spread at worst, a few steps as a rule.
    void add(const Requirements& requirements, int32_t kind, int64_t records);
    // Cost: O(cells of both).
    void merge(const ClassState& other);

    int64_t records() const { return records_; }
    // `part` is room to work in.
    bool holds(const Requirements& requirements, std::vector<Cell>& part) const;

  private:
    int64_t records_ = 0;
    std::vector<std::vector<Kinds>> cells_;  // by spread: ascending by key, without zeros
};
}  // namespace incrowd
