// The distinct tuples of a table and how many records have each, as kernels read them.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct Tuples {
    std::span<const int32_t> codes;    // (columns, tuples)
    std::span<const int64_t> records;  // by tuple

    size_t size() const { return records.size(); }
    const int32_t* column(size_t j) const { return codes.data() + j * size(); }
    int32_t code(size_t j, size_t tuple) const { return codes[j * size() + tuple]; }
    int64_t n_records() const {
        return std::accumulate(records.begin(), records.end(), int64_t{0});
    }
};

// Codes tuple by tuple, from those column by column.
inline std::vector<int32_t> rows_of(std::span<const int32_t> codes, size_t columns) {
    std::vector<int32_t> rows(codes.size());
    const size_t n = columns ? codes.size() / columns : 0;
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < n; ++i) rows[i * columns + j] = codes[j * n + i];
    return rows;
}

// Some records of one tuple: what classes are made of.
struct Share {
    int32_t tuple;
    int64_t records;
    auto operator<=>(const Share&) const = default;
};

using Shares = std::vector<Share>;
}  // namespace incrowd
