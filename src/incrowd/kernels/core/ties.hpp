// When two scores count as equal.
//
// Equal scores differ in their last digits if they were added up in another order.  A score is
// better only if it is so by more than that, so that ties go to whoever is looked at first.
#pragma once

namespace incrowd {
constexpr double kTie = 1e-12;
}  // namespace incrowd
