// The classes of a few records that cost least, found by looking at all there are.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "clustering/fixed_columns.hpp"
#include "core/integers.hpp"
#include "core/tuples.hpp"

namespace incrowd {
inline constexpr size_t kFewRecords = 12;

// Which of some classes may be: one answer each.
using Verdict = std::function<std::vector<bool>(const std::vector<Shares>&)>;

struct Cheapest {
    std::vector<Shares> classes;  // none if there is no way to form them
    int64_t cost = 0;
};

// `codes` is (tuples, columns), row by row; `tuple_of` has the tuple of each record, in ascending
// order.  Without a verdict every class of k records may be.
Cheapest cheapest_classes(std::span<const FixedColumn> columns, std::span<const int32_t> codes,
                          std::span<const int32_t> tuple_of, int64_t k, const Verdict& verdict);
}  // namespace incrowd
