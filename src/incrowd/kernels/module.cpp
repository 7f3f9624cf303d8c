// The compiled module: each folder binds its kernels.
#include "core/binding.hpp"

namespace incrowd {
void bind_cell(nb::module_& module);
void bind_clustering(nb::module_& module);
void bind_core(nb::module_& module);
void bind_cuts(nb::module_& module);
void bind_csv(nb::module_& module);
void bind_heuristic_min(nb::module_& module);
void bind_lattice(nb::module_& module);
void bind_local_search(nb::module_& module);
void bind_merging(nb::module_& module);
void bind_peel(nb::module_& module);
void bind_region_columns(nb::module_& module);
void bind_regions(nb::module_& module);
void bind_requirements(nb::module_& module);
void bind_shapes(nb::module_& module);
void bind_subtree(nb::module_& module);
void bind_tdr(nb::module_& module);
void bind_tgc(nb::module_& module);
}  // namespace incrowd

NB_MODULE(_kernels, module) {
    nanobind::set_leak_warnings(false);  // what a notebook still holds when Python ends is no fault
    for (const auto bind :
         {incrowd::bind_core, incrowd::bind_requirements, incrowd::bind_shapes, incrowd::bind_cell,
          incrowd::bind_clustering, incrowd::bind_csv, incrowd::bind_heuristic_min,
          incrowd::bind_lattice, incrowd::bind_local_search, incrowd::bind_merging,
          incrowd::bind_peel, incrowd::bind_region_columns, incrowd::bind_regions,
          incrowd::bind_cuts, incrowd::bind_subtree, incrowd::bind_tdr, incrowd::bind_tgc})
        bind(module);
}
