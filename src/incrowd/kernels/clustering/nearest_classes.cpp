// The class that each tuple joins at the least cost, given what each cell costs with each value.
// O(tuples x classes x columns) at worst; a class is left as soon as it cannot win any more.
// Twin: tests/naive/nearest.py.
#include <limits>
#include <stdexcept>

#include "core/arrays.hpp"
#include "core/ties.hpp"

namespace incrowd {

namespace {

// Of column j: costs[starts[j] + cell * widths[j] + value], which are 0 or more.
struct CostTables {
    In<double, 1> costs;
    In<std::int64_t, 1> starts, widths;

    void check(std::size_t columns) const {
        bool sound = starts.size() == columns + 1 && widths.size() == columns && columns > 0 &&
                     starts.data()[0] == 0 &&
                     starts.data()[columns] == static_cast<std::int64_t>(costs.size());
        for (std::size_t j = 0; sound && j < columns; ++j) {
            const std::int64_t size = starts.data()[j + 1] - starts.data()[j];
            sound = size >= 0 && widths.data()[j] > 0 && size % widths.data()[j] == 0;
        }
        if (!sound) throw std::invalid_argument("nearest_classes: the tables of costs are damaged");
    }

    std::int64_t cells(std::size_t j) const {
        return (starts.data()[j + 1] - starts.data()[j]) / widths.data()[j];
    }
};

void check_below(const In<std::int32_t, 2>& rows, std::size_t j, std::int64_t limit) {
    const std::size_t columns = rows.shape(1);
    for (std::size_t at = j; at < rows.size(); at += columns)
        if (rows.data()[at] < 0 || rows.data()[at] >= limit)
            throw std::invalid_argument("nearest_classes: a cell or a value has no cost");
}

std::vector<std::int32_t> nearest(const In<std::int32_t, 2>& cell_of,
                                  const In<std::int32_t, 2>& value_of, const CostTables& tables) {
    const std::size_t n = cell_of.shape(0), d = cell_of.shape(1), classes = value_of.shape(0);
    std::vector<std::int32_t> found(n);
    std::vector<const double*> row(d);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j)
            row[j] = tables.costs.data() + tables.starts.data()[j] +
                     cell_of.data()[i * d + j] * tables.widths.data()[j];
        double best = std::numeric_limits<double>::infinity();
        const std::int32_t* value = value_of.data();
        for (std::size_t c = 0; c < classes; ++c, value += d) {
            double total = 0;
            std::size_t j = 0;
            for (; j < d && total < best - kTie; ++j) total += row[j][value[j]];
            if (j == d && total < best - kTie) {
                best = total;
                found[i] = static_cast<std::int32_t>(c);
            }
        }
    }
    return found;
}

}  // namespace

void bind_nearest_classes(nb::module_& module) {
    module.def(
        "nearest_classes",
        [](In<std::int32_t, 2> cell_of, In<std::int32_t, 2> value_of, In<double, 1> costs,
           In<std::int64_t, 1> starts, In<std::int64_t, 1> widths) {
            if (value_of.shape(0) == 0 || value_of.shape(1) != cell_of.shape(1))
                throw std::invalid_argument("nearest_classes: one or more classes are needed");
            const CostTables tables{costs, starts, widths};
            std::vector<std::int32_t> found;
            {
                nb::gil_scoped_release release;
                tables.check(cell_of.shape(1));
                for (std::size_t j = 0; j < cell_of.shape(1); ++j) {
                    check_below(cell_of, j, tables.cells(j));
                    check_below(value_of, j, widths.data()[j]);
                }
                found = nearest(cell_of, value_of, tables);
            }
            return to_numpy(std::move(found));
        },
        nb::arg("cell_of"), nb::arg("value_of"), nb::arg("costs"), nb::arg("starts"),
        nb::arg("widths"));
}

}  // namespace incrowd
