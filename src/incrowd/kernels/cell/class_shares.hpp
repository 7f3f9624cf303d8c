// What each item of a small multiset bears of the cost of any partition of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cell/small_classes.hpp"

namespace incrowd {

// Shares by item, such that no class costs less than those of its members: every partition then
// costs at least the sum of all.
std::vector<std::int64_t> class_shares(std::span<const std::int64_t> copies, const Packing& packing,
                                       std::span<const SmallClass> classes, Meter& meter);

}  // namespace incrowd
