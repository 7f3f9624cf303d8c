// What the bindings of all clusterings use.
#pragma once

#include "clustering/class_shapes.hpp"
#include "core/binding.hpp"

namespace incrowd {
// Reads what `class_columns` in incrowd.algorithms.shared.shapes writes: one tuple per column.
std::vector<ShapeColumn> shape_columns(nb::list columns);
}  // namespace incrowd
