// Where tuples lie: the codes that each class spans, and the region of each tuple in a split tree.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/arrays.hpp"

namespace incrowd {

namespace {

using Codes = In<std::int32_t, 1>;
using Matrix = In<std::int32_t, 2>;

struct Spans {
    std::vector<std::int32_t> low, high;  // (classes, columns), row by row; high is exclusive
};

Spans spans_of(const Matrix& codes, const Codes& tuple_of, const Codes& class_of,
               std::size_t n_classes) {
    const std::size_t d = codes.shape(0), m = codes.shape(1), parts = tuple_of.size();
    for (std::size_t p = 0; p < parts; ++p)
        if (static_cast<std::uint32_t>(tuple_of.data()[p]) >= m ||
            class_of.data()[p] >= static_cast<std::int64_t>(n_classes))
            throw std::invalid_argument("class_spans: a part names no tuple or no class");
    Spans spans{std::vector<std::int32_t>(n_classes * d, std::numeric_limits<std::int32_t>::max()),
                std::vector<std::int32_t>(n_classes * d, 0)};
    for (std::size_t p = 0; p < parts; ++p) {
        if (class_of.data()[p] < 0) continue;
        const std::size_t row = static_cast<std::size_t>(class_of.data()[p]) * d;
        const std::int32_t* code = codes.data() + tuple_of.data()[p];
        for (std::size_t j = 0; j < d; ++j, code += m) {
            spans.low[row + j] = std::min(spans.low[row + j], *code);
            spans.high[row + j] = std::max(spans.high[row + j], *code + 1);
        }
    }
    return spans;
}

// Column, cut, left and right of each node; a child below 0 is the region ~child.
struct SplitTree {
    Codes column, cut, left, right;

    void check(std::size_t d) const {
        const auto n = static_cast<std::int64_t>(column.size());
        if (cut.size() != column.size() || left.size() != column.size() ||
            right.size() != column.size())
            throw std::invalid_argument("regions_of: a split tree is damaged");
        for (std::int64_t at = 0; at < n; ++at) {
            const std::int32_t l = left.data()[at], r = right.data()[at];
            // Children come after their parent, so that no walk goes round in circles.
            if (static_cast<std::uint32_t>(column.data()[at]) >= d ||
                (l >= 0 && (l <= at || l >= n)) || (r >= 0 && (r <= at || r >= n)))
                throw std::invalid_argument("regions_of: a split tree is damaged");
        }
    }
};

std::vector<std::int32_t> regions(const Matrix& codes, const SplitTree& tree) {
    const std::size_t m = codes.shape(1);
    std::vector<std::int32_t> region_of(m, 0);
    if (tree.column.size() == 0) return region_of;
    for (std::size_t i = 0; i < m; ++i) {
        std::int32_t at = 0;
        while (at >= 0) {
            const std::size_t j = static_cast<std::size_t>(tree.column.data()[at]);
            const bool below = codes.data()[j * m + i] < tree.cut.data()[at];
            at = below ? tree.left.data()[at] : tree.right.data()[at];
        }
        region_of[i] = ~at;
    }
    return region_of;
}

}  // namespace

void bind_regions(nb::module_& module) {
    module.def(
        "class_spans",
        [](Matrix codes, Codes tuple_of, Codes class_of, std::size_t n_classes) {
            if (tuple_of.size() != class_of.size())
                throw std::invalid_argument("class_spans: one class per part is needed");
            Spans spans;
            {
                nb::gil_scoped_release release;
                spans = spans_of(codes, tuple_of, class_of, n_classes);
            }
            return nb::make_tuple(to_numpy(std::move(spans.low)), to_numpy(std::move(spans.high)));
        },
        nb::arg("codes"), nb::arg("tuple_of"), nb::arg("class_of"), nb::arg("n_classes"));
    module.def(
        "regions_of",
        [](Matrix codes, Codes column, Codes cut, Codes left, Codes right) {
            const SplitTree tree{column, cut, left, right};
            std::vector<std::int32_t> region_of;
            {
                nb::gil_scoped_release release;
                tree.check(codes.shape(0));
                region_of = regions(codes, tree);
            }
            return to_numpy(std::move(region_of));
        },
        nb::arg("codes"), nb::arg("column"), nb::arg("cut"), nb::arg("left"), nb::arg("right"));
}

}  // namespace incrowd
