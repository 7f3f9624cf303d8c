#include "clustering/nearest_classes.hpp"

#include <limits>

#include "core/ties.hpp"

namespace incrowd {
std::vector<int32_t> nearest_classes(std::span<const int32_t> cell_of,
                                     std::span<const int32_t> value_of, const JoinCosts& joined) {
    const size_t d = joined.columns(), n = cell_of.size() / d, classes = value_of.size() / d;
    std::vector<int32_t> found(n);
    std::vector<const double*> row(d);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < d; ++j)
            row[j] = joined.costs.data() + joined.starts[j] + cell_of[i * d + j] * joined.widths[j];
        double best = std::numeric_limits<double>::infinity();
        const int32_t* value = value_of.data();
        for (size_t c = 0; c < classes; ++c, value += d) {
            double total = 0;
            size_t j = 0;
            for (; j < d && total < best - kTie; ++j) total += row[j][value[j]];
            if (j == d && total < best - kTie) {
                best = total;
                found[i] = static_cast<int32_t>(c);
            }
        }
    }
    return found;
}
}  // namespace incrowd
