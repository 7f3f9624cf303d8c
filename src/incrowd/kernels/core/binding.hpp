// What every binding uses: how arrays cross the border between Python and the kernels (one dtype, C
// order, checked once), and how kernels are made known to Python.  No algorithm includes this.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/integers.hpp"
#include "core/table.hpp"
#include "core/workers.hpp"

namespace incrowd {
namespace nb = nanobind;

template <typename T, int Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Matrix = In<int32_t, 2>;  // codes: (columns, tuples)
using Ints = In<int32_t, 1>;    // codes, classes, nodes: what is numbered from 0
using Counts = In<int64_t, 1>;
using Reals = In<double, 1>;

[[noreturn]] inline void refuse(const std::string& kernel, const char* what) {
    throw std::invalid_argument(kernel + ": " + what);
}

template <typename Array>
auto view(const Array& array) {
    return std::span(array.data(), array.size());
}

template <typename Array>
auto copied(const Array& array) {
    using T = std::remove_const_t<typename Array::Scalar>;
    return std::vector<T>(array.data(), array.data() + array.size());
}

// A vector becomes an array without being copied; everything else stays what it is.
template <typename T>
T to_python(const T& value) {
    return value;
}
template <typename T>
auto to_python(std::vector<T>& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

// A tuple for Python; its vectors are moved from.
template <typename... Parts>
nb::tuple hand_over(Parts&&... parts) {
    return nb::make_tuple(to_python(parts)...);
}

// Arguments are read before, results written after: neither is done without the GIL.
template <typename Work>
auto without_gil(const Work& work) {
    const nb::gil_scoped_release release;
    return work();
}

// The same for work that tells how far it is.
template <typename Work>
auto metered(const Meter::Report& report, const Work& work) {
    const nb::gil_scoped_release release;
    Meter meter(report);
    return work(meter);
}

template <typename Function, typename... Names>
void define(nb::module_& module, const char* name, Function function, Names... names) {
    module.def(name, function, nb::arg(names)...);
}

// The same for a method.
template <typename Class, typename Function, typename... Names>
void define(nb::class_<Class>& bound, const char* name, Function function, Names... names) {
    bound.def(name, function, nb::arg(names)...);
}

// Checks that what describes columns knows every code of a table.
template <typename Columns>
void check_fit(const char* kernel, const Table& table, const Columns& columns) {
    if (table.columns() != columns.size()) refuse(kernel, "one row of codes per column is needed");
    for (size_t j = 0; j < columns.size(); ++j)
        if (table.sizes()[j] > static_cast<int64_t>(columns[j].n_codes))
            refuse(kernel, "a code is out of range");
}
}  // namespace incrowd
