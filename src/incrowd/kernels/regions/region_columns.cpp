#include "regions/region_columns.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace incrowd {

namespace {

template <typename T>
std::vector<T> copied(nb::handle array) {
    const auto given = nb::cast<In<T, 1>>(array);
    return std::vector<T>(given.data(), given.data() + given.size());
}

// Nodes are intervals of codes, each level a function of the one below, and the last one the root.
bool is_tree(const RegionColumn& column) {
    const auto width = static_cast<std::size_t>(column.n_codes);
    if (width == 0) return column.first.empty();
    if (column.first.empty() || column.first.size() % width != 0) return false;
    const std::size_t levels = column.first.size() / width;
    for (std::size_t level = 0; level < levels; ++level)
        for (std::int32_t code = 0; code < column.n_codes; ++code) {
            const std::int32_t first = column.first_at(level, code);
            const bool starts = first == code;
            const bool follows = code > 0 && first == column.first_at(level, code - 1);
            if (starts == follows) return false;
            if (level == 0 ? !starts : starts && column.first_at(level - 1, code) != code)
                return false;
        }
    return column.first_at(levels - 1, column.n_codes - 1) == 0;
}

void check(const RegionColumn& column) {
    const auto is_nan = [](double value) { return std::isnan(value); };
    const bool line = !column.place.empty();
    const bool fits = line ? column.place.size() <= static_cast<std::size_t>(column.n_codes)
                           : is_tree(column) && column.width.size() == column.first.size();
    if (column.n_codes < 0 || !fits ||
        std::any_of(column.place.begin(), column.place.end(), is_nan) ||
        std::any_of(column.width.begin(), column.width.end(), is_nan))
        throw std::invalid_argument("region columns: a column is damaged");
}

}  // namespace

std::size_t RegionColumn::level_over(std::int32_t low, std::int32_t high) const {
    std::size_t level = 0;
    while (first_at(level, low) != first_at(level, high)) ++level;
    return level;
}

double RegionColumn::width_over(std::int32_t low, std::int32_t high) const {
    if (place.empty())
        return width[level_over(low, high) * static_cast<std::size_t>(n_codes) +
                     static_cast<std::size_t>(low)];
    if (static_cast<std::size_t>(high) >= place.size()) return low == high ? 0.0 : mixed;
    return place[static_cast<std::size_t>(high)] - place[static_cast<std::size_t>(low)];
}

std::vector<RegionColumn> region_columns(nb::list columns) {
    std::vector<RegionColumn> read;
    for (nb::handle each : columns) {
        const auto given = nb::cast<nb::tuple>(each);
        if (given.size() != 5) throw std::invalid_argument("region columns: a column is damaged");
        read.push_back({nb::cast<std::int32_t>(given[0]), copied<double>(given[1]),
                        nb::cast<double>(given[2]), copied<std::int32_t>(given[3]),
                        copied<double>(given[4])});
        check(read.back());
    }
    return read;
}

void check_codes(std::span<const RegionColumn> columns, const In<std::int32_t, 2>& codes) {
    if (codes.shape(0) != columns.size())
        throw std::invalid_argument("region columns: one row of codes per column is needed");
    const std::size_t n = codes.shape(1);
    for (std::size_t j = 0; j < columns.size(); ++j) {
        std::uint32_t largest = 0;  // a negative code is a very large unsigned one
        for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, static_cast<std::uint32_t>(codes.data()[j * n + i]));
        if (n && largest >= static_cast<std::uint32_t>(columns[j].n_codes))
            throw std::invalid_argument("region columns: a code is out of range");
    }
}

}  // namespace incrowd
