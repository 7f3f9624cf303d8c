// The compiled module: each kernel binds itself.
#include "arrays.hpp"

namespace incrowd {
void bind_grouping(nb::module_& module);
}

NB_MODULE(_kernels, module) {
    incrowd::bind_grouping(module);
}
