// What each item of a small multiset bears of the cost of any partition of it.
#pragma once

#include <span>
#include <vector>

#include "cell/mingen_classes.hpp"
#include "core/integers.hpp"

namespace incrowd {
// Shares by item, such that no class costs less than those of its members: every partition then
// costs at least the sum of all.
std::vector<int64_t> class_shares(std::span<const int64_t> copies, const Packing& packing,
                                  std::span<const SmallClass> classes, Meter& meter);
}  // namespace incrowd
