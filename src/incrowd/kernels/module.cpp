// The compiled module: each kernel binds itself.
#include "core/arrays.hpp"

namespace incrowd {
void bind_csv_reading(nb::module_& module);
void bind_csv_writing(nb::module_& module);
void bind_cut_tree(nb::module_& module);
void bind_exact_partition(nb::module_& module);
void bind_genetic(nb::module_& module);
void bind_grouping(nb::module_& module);
void bind_infogain_mondrian(nb::module_& module);
void bind_k_members(nb::module_& module);
void bind_k_members_p(nb::module_& module);
void bind_k_optimize(nb::module_& module);
void bind_lattice(nb::module_& module);
void bind_local_search(nb::module_& module);
void bind_mdav(nb::module_& module);
void bind_mondrian(nb::module_& module);
void bind_nearest_classes(nb::module_& module);
void bind_oka(nb::module_& module);
void bind_pre_partitioning(nb::module_& module);
void bind_reassigning(nb::module_& module);
void bind_regions(nb::module_& module);
void bind_threshold_greedy(nb::module_& module);
void bind_top_down_greedy(nb::module_& module);
void bind_top_down_refinement(nb::module_& module);
void bind_tuple_diversity(nb::module_& module);
}  // namespace incrowd

NB_MODULE(_kernels, module) {
    incrowd::bind_csv_reading(module);
    incrowd::bind_csv_writing(module);
    incrowd::bind_cut_tree(module);
    incrowd::bind_exact_partition(module);
    incrowd::bind_genetic(module);
    incrowd::bind_grouping(module);
    incrowd::bind_infogain_mondrian(module);
    incrowd::bind_k_members(module);
    incrowd::bind_k_members_p(module);
    incrowd::bind_k_optimize(module);
    incrowd::bind_lattice(module);
    incrowd::bind_local_search(module);
    incrowd::bind_mdav(module);
    incrowd::bind_mondrian(module);
    incrowd::bind_nearest_classes(module);
    incrowd::bind_oka(module);
    incrowd::bind_pre_partitioning(module);
    incrowd::bind_reassigning(module);
    incrowd::bind_regions(module);
    incrowd::bind_threshold_greedy(module);
    incrowd::bind_top_down_greedy(module);
    incrowd::bind_top_down_refinement(module);
    incrowd::bind_tuple_diversity(module);
}
