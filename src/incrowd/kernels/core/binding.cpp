// Python's view of what all kernels share.
#include "core/binding.hpp"

#include "core/grouping.hpp"

namespace incrowd {
void bind_core(nb::module_& module) {
    const auto group = [](Matrix codes, Counts sizes) {
        if (codes.shape(0) != sizes.size()) refuse("group", "one size per column is needed");
        auto found =
            without_gil([&] { return group_columns(view(codes), view(sizes), codes.shape(1)); });
        return hand_over(found.group_of, found.first);
    };
    define(module, "group", group, "codes", "sizes");
}
}  // namespace incrowd
