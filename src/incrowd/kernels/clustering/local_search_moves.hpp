// The moves of the local search, on one bucket of records.
#pragma once

#include <functional>
#include <vector>

#include "clustering/local_search_classes.hpp"

namespace incrowd {
// Whether the classes that a step changed may stay as they are now.
using StepJudge = std::function<bool(const std::vector<int32_t>&)>;

// Moves records until so many cells were looked at.  Without a judge, every step that keeps k
// records in each class may stay.  `tick` is called before each step; it may throw.
void improve_classes(EditableClasses& classes, int64_t k, uint64_t work, uint64_t seed,
                     const StepJudge& judge, const std::function<void()>& tick);
}  // namespace incrowd
