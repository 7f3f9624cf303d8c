#include "regions/class_spans.hpp"

#include <algorithm>
#include <limits>

namespace incrowd {
ClassSpans class_spans(std::span<const int32_t> codes, size_t d, std::span<const int32_t> tuple_of,
                       std::span<const int32_t> class_of, size_t n_classes) {
    const size_t m = d ? codes.size() / d : 0;
    ClassSpans spans{std::vector<int32_t>(n_classes * d, std::numeric_limits<int32_t>::max()),
                     std::vector<int32_t>(n_classes * d, 0)};
    for (size_t p = 0; p < tuple_of.size(); ++p) {
        if (class_of[p] < 0) continue;
        const size_t row = class_of[p] * d;
        const int32_t* code = codes.data() + tuple_of[p];
        for (size_t j = 0; j < d; ++j, code += m) {
            spans.low[row + j] = std::min(spans.low[row + j], *code);
            spans.high[row + j] = std::max(spans.high[row + j], *code + 1);
        }
    }
    return spans;
}
}  // namespace incrowd
