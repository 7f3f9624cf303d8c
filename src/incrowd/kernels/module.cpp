// The compiled module: each kernel binds itself.
#include "arrays.hpp"

namespace incrowd {
void bind_csv_reading(nb::module_& module);
void bind_csv_writing(nb::module_& module);
void bind_grouping(nb::module_& module);
void bind_lattice(nb::module_& module);
void bind_local_search(nb::module_& module);
void bind_regions(nb::module_& module);
}  // namespace incrowd

NB_MODULE(_kernels, module) {
    incrowd::bind_csv_reading(module);
    incrowd::bind_csv_writing(module);
    incrowd::bind_grouping(module);
    incrowd::bind_lattice(module);
    incrowd::bind_local_search(module);
    incrowd::bind_regions(module);
}
