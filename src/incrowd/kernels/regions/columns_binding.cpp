// Python's view of the columns that regions are cut in: one method per kind of column.
#include <cmath>

#include "core/binding.hpp"
#include "regions/region_columns.hpp"

namespace incrowd {
namespace {
const char* const kRegions = "Regions";

// Nodes are intervals of codes, each level a function of the one below, and the last one the root.
bool is_tree(const RegionColumn& column, size_t levels) {
    if (column.n_codes == 0) return true;
    if (levels == 0) return false;
    for (size_t level = 0; level < levels; ++level)
        for (int32_t code = 0; code < column.n_codes; ++code) {
            const int32_t first = column.first_at(level, code);
            const bool starts = first == code;
            const bool follows = code > 0 && first == column.first_at(level, code - 1);
            if (starts == follows) return false;
            if (level == 0 ? !starts : starts && column.first_at(level - 1, code) != code)
                return false;
        }
    return column.first_at(levels - 1, column.n_codes - 1) == 0;
}

bool has_nan(std::span<const double> values) {
    return std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

int32_t checked_codes(int64_t n_codes) {
    if (n_codes < 0 || n_codes > std::numeric_limits<int32_t>::max())
        refuse(kRegions, "a column has too many codes");
    return static_cast<int32_t>(n_codes);
}

void add_tree(Regions& regions, const In<int32_t, 2>& first, const In<double, 2>& width) {
    RegionColumn column{
        checked_codes(static_cast<int64_t>(first.shape(1))), {}, 0.0, copied(first), copied(width)};
    if (width.shape(0) != first.shape(0) || width.shape(1) != first.shape(1) ||
        has_nan(column.width) || !is_tree(column, first.shape(0)))
        refuse(kRegions, "a tree is damaged");
    regions.columns.push_back(std::move(column));
}

void add_line(Regions& regions, int64_t n_codes, const Reals& place, double mixed) {
    RegionColumn column{checked_codes(n_codes), copied(place), mixed, {}, {}};
    if (place.size() == 0 || place.size() > static_cast<size_t>(n_codes) || has_nan(column.place))
        refuse(kRegions, "a line is damaged");
    regions.columns.push_back(std::move(column));
}

double width(const Regions& regions, int64_t column, int32_t low, int32_t high) {
    if (column < 0 || static_cast<size_t>(column) >= regions.columns.size())
        refuse(kRegions, "there is no such column");
    const RegionColumn& own = regions.columns[static_cast<size_t>(column)];
    if (low < 0 || low > high || high >= own.n_codes) refuse(kRegions, "a code is out of range");
    return own.width_over(low, high);
}
}  // namespace

void bind_region_columns(nb::module_& module) {
    nb::class_<Regions> regions(module, "Regions");
    regions.def(nb::init<>());
    define(regions, "tree", &add_tree, "first", "width");
    define(regions, "line", &add_line, "n_codes", "place", "mixed");
    define(regions, "width", &width, "column", "low", "high");
}
}  // namespace incrowd
