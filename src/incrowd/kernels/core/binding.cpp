// Python's view of what all kernels share.
#include "core/binding.hpp"

#include <memory>
#include <utility>

#include "core/grouping.hpp"

namespace incrowd {
namespace {
void make_table(Table* self, const Matrix& codes, const Counts& records) {
    auto owner = std::make_shared<std::pair<Matrix, Counts>>(codes, records);
    new (self) Table(without_gil(
        [&] { return Table({view(codes), view(records)}, codes.shape(0), std::move(owner)); }));
}
}  // namespace

void bind_core(nb::module_& module) {
    const auto group = [](Matrix codes, Counts sizes) {
        if (codes.shape(0) != sizes.size()) refuse("group", "one size per column is needed");
        auto found =
            without_gil([&] { return group_columns(view(codes), view(sizes), codes.shape(1)); });
        return hand_over(found.group_of, found.first);
    };
    define(module, "group", group, "codes", "sizes");
    nb::class_<Table>(module, "Table")
        .def("__init__", &make_table, nb::arg("codes"), nb::arg("records"));
}
}  // namespace incrowd
