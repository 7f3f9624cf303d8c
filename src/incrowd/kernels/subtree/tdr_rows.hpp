// The rows of a requirement's columns, group by group, and where each of them has gone.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/integers.hpp"

namespace incrowd::refinement {
class GroupedRows {
  public:
    // `codes` is column-major; `traced` says whether rows must be found by their codes.
    GroupedRows(const int32_t* codes, std::vector<int64_t> records, size_t width, bool traced)
        : width_(width), codes_(records.size() * width), records_(std::move(records)) {
        const size_t n = records_.size();
        for (size_t i = 0; i < width; ++i)
            for (size_t row = 0; row < n; ++row) codes_[row * width + i] = codes[i * n + row];
        if (!traced) return;
        row_at_.resize(n);
        std::iota(row_at_.begin(), row_at_.end(), 0);
        place_of_ = row_at_;
        group_at_.assign(n, 0);
    }

    const int32_t* at(size_t place) const { return codes_.data() + place * width_; }
    int64_t records(size_t place) const { return records_[place]; }

    // Which row stands at a place, where a row stands, and in which group; if they are traced.
    int32_t row_at(size_t place) const { return row_at_[place]; }
    size_t place_of(int32_t row) const { return static_cast<size_t>(place_of_[row]); }
    int32_t group_of(int32_t row) const { return group_at_[place_of(row)]; }
    void set_group(size_t first, size_t last, int32_t group) {
        if (!group_at_.empty())
            std::fill(group_at_.begin() + static_cast<std::ptrdiff_t>(first),
                      group_at_.begin() + static_cast<std::ptrdiff_t>(last), group);
    }

    void exchange(size_t one, size_t other) {
        if (one == other) return;
        std::swap_ranges(codes_.data() + one * width_, codes_.data() + (one + 1) * width_,
                         codes_.data() + other * width_);
        std::swap(records_[one], records_[other]);
        std::swap(row_at_[one], row_at_[other]);
        place_of_[row_at_[one]] = static_cast<int32_t>(one);
        place_of_[row_at_[other]] = static_cast<int32_t>(other);
    }

    // Puts the rows from `first` on into another order: `to` says the new place of each.
    void reorder(size_t first, std::span<const int32_t> to) {
        const size_t n = to.size();
        moved_codes_.resize(std::max(moved_codes_.size(), n * width_));
        moved_records_.resize(std::max(moved_records_.size(), n));
        for (size_t i = 0; i < n; ++i) {
            std::copy_n(at(first + i), width_, moved_codes_.data() + to[i] * width_);
            moved_records_[to[i]] = records_[first + i];
        }
        std::copy_n(moved_codes_.data(), n * width_, codes_.data() + first * width_);
        std::copy_n(moved_records_.data(), n, records_.data() + first);
        if (row_at_.empty()) return;
        moved_rows_.resize(n);
        for (size_t i = 0; i < n; ++i) moved_rows_[to[i]] = row_at_[first + i];
        for (size_t i = 0; i < n; ++i) {
            row_at_[first + i] = moved_rows_[i];
            place_of_[moved_rows_[i]] = static_cast<int32_t>(first + i);
        }
    }

  private:
    size_t width_;
    std::vector<int32_t> codes_;  // row by row
    std::vector<int64_t> records_;
    std::vector<int32_t> row_at_, place_of_, group_at_;
    // Room to work in.
    std::vector<int32_t> moved_codes_, moved_rows_;
    std::vector<int64_t> moved_records_;
};

// The rows that have each code of a column.
struct RowsByCode {
    std::vector<int32_t> start, row;

    RowsByCode(const int32_t* codes, size_t n, size_t n_codes) : start(n_codes + 1, 0), row(n) {
        for (size_t i = 0; i < n; ++i) ++start[static_cast<size_t>(codes[i]) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<int32_t> next(start.begin(), start.end() - 1);
        for (size_t i = 0; i < n; ++i) row[next[codes[i]]++] = static_cast<int32_t>(i);
    }

    std::span<const int32_t> with(int32_t code) const {
        return std::span(row).subspan(start[code], start[code + 1] - start[code]);
    }
};
}  // namespace incrowd::refinement
