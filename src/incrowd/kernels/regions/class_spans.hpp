// The codes that each class spans.
#pragma once

#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct ClassSpans {
    std::vector<int32_t> low, high;  // (classes, columns), row by row; high is exclusive
};

// `codes` is (d, tuples); a part of a class below 0 belongs to none.
ClassSpans class_spans(std::span<const int32_t> codes, size_t d, std::span<const int32_t> tuple_of,
                       std::span<const int32_t> class_of, size_t n_classes);
}  // namespace incrowd
