// The rows of a region as InfoGain Mondrian looks at them in one column: how many records of each
// class of the target have each code, in the order of the codes.
//
// O(rows + codes x classes) a column where that is not much more than the rows, otherwise the rows
// are sorted.  The class of a row is its lane after the columns'.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "regions/region_search.hpp"

namespace incrowd::region_search {
// The records of one code and one class of the region.
struct ClassEntry {
    int32_t code, number;
    int64_t records;
};

template <typename Code>
class ClassEntries {
  public:
    ClassEntries(const Search& search, size_t n_classes)
        : search_(search), number_of_(n_classes, kAbsent), dense_(search.columns.size()) {}

    // Turns to a region with these smallest and largest codes.
    void look_at(const RegionRows<Code>& rows, RowRange range, const Span& low, const Span& high) {
        number_classes(rows, range);
        count_cells(rows, range, low, high);
    }
    // By class of the region: its records.
    const std::vector<int64_t>& totals() const { return totals_; }
    // The entries of a column, ascending by code.  Columns are asked for in their order.
    const std::vector<ClassEntry>& of(const RegionRows<Code>& rows, RowRange range, size_t j,
                                      int32_t low, int32_t high) {
        if (next_dense_ < n_dense_ && dense_[next_dense_].column == j)
            entries_of_cells(dense_[next_dense_++]);
        else entries_of_rows(rows, range, j, low, high);
        return entries_;
    }

  private:
    static constexpr int32_t kAbsent = -1;

    // A column whose codes and classes are few enough to be counted in one table.
    struct Dense {
        size_t column, start, cells;
        int32_t low;
    };

    // Numbers the classes of the region, from 0 in the order of its rows.
    void number_classes(const RegionRows<Code>& rows, RowRange range) {
        totals_.clear();
        present_.clear();
        row_number_.resize(range.size);
        const size_t lane = search_.columns.size();
        for (size_t r = 0; r < range.size; ++r) {
            const auto own = static_cast<size_t>(rows.codes(range.start + r)[lane]);
            int32_t& number = number_of_[own];
            if (number == kAbsent) {
                number = static_cast<int32_t>(totals_.size());
                totals_.push_back(0);
                present_.push_back(own);
            }
            row_number_[r] = number;
            totals_[number] += rows.records(range.start + r);
        }
        for (const size_t each : present_) number_of_[each] = kAbsent;
    }

    // Counts records by code and class in all columns at once, where that takes little space.
    void count_cells(const RegionRows<Code>& rows, RowRange range, const Span& low,
                     const Span& high) {
        n_dense_ = next_dense_ = 0;
        size_t cells = 0;
        for (size_t j = 0; j < search_.columns.size(); ++j) {
            if (low[j] == high[j]) continue;
            const size_t own = (static_cast<size_t>(high[j] - low[j]) + 1) * totals_.size();
            if (own > 4 * range.size + 256) continue;
            dense_[n_dense_++] = {j, cells, own, low[j]};
            cells += own;
        }
        cells_.assign(cells, 0);
        const size_t classes = totals_.size();
        for (size_t r = 0; r < range.size; ++r) {
            const Code* row = rows.codes(range.start + r);
            const int64_t records = rows.records(range.start + r);
            int64_t* const own = cells_.data() + row_number_[r];
            for (size_t d = 0; d < n_dense_; ++d) {
                const Dense& dense = dense_[d];
                const auto code = static_cast<size_t>(row[dense.column] - dense.low);
                own[dense.start + code * classes] += records;
            }
        }
    }

    void entries_of_cells(const Dense& dense) {
        entries_.clear();
        const int64_t* cell = cells_.data() + dense.start;
        const auto classes = static_cast<int32_t>(totals_.size());
        const auto codes = static_cast<int32_t>(dense.cells / totals_.size());
        for (int32_t code = 0; code < codes; ++code)
            for (int32_t number = 0; number < classes; ++number, ++cell)
                if (*cell) entries_.push_back({dense.low + code, number, *cell});
    }

    void entries_of_rows(const RegionRows<Code>& rows, RowRange range, size_t j, int32_t low,
                         int32_t high) {
        order_rows(rows, range, j, low, high);
        entries_.clear();
        for (const uint64_t each : order_) {
            const auto row = static_cast<uint32_t>(each);
            entries_.push_back({static_cast<int32_t>(each >> 32), row_number_[row],
                                rows.records(range.start + row)});
        }
    }

    // Sets `order_` to the rows by code: the code, and in the lower half which row it is.
    void order_rows(const RegionRows<Code>& rows, RowRange range, size_t j, int32_t low,
                    int32_t high) {
        order_.resize(range.size);
        const auto key = [&](size_t r) {
            const auto code = static_cast<uint64_t>(rows.codes(range.start + r)[j]);
            return code << 32 | r;
        };
        const auto codes = static_cast<size_t>(high - low) + 1;
        if (codes > 4 * range.size + 64) {  // more codes than are worth looking at
            for (size_t r = 0; r < range.size; ++r) order_[r] = key(r);
            std::ranges::sort(order_);
            return;
        }
        place_.assign(codes + 1, 0);
        for (size_t r = 0; r < range.size; ++r)
            ++place_[static_cast<size_t>(rows.codes(range.start + r)[j] - low) + 1];
        std::partial_sum(place_.begin(), place_.end(), place_.begin());
        for (size_t r = 0; r < range.size; ++r)
            order_[place_[static_cast<size_t>(rows.codes(range.start + r)[j] - low)]++] = key(r);
    }

    const Search& search_;
    std::vector<int32_t> number_of_;   // by class of the table
    std::vector<size_t> present_;      // by class of the region: which it is
    std::vector<int32_t> row_number_;  // by row of the region
    std::vector<int64_t> totals_;
    std::vector<Dense> dense_;
    size_t n_dense_ = 0, next_dense_ = 0;
    std::vector<int64_t> cells_;
    std::vector<uint64_t> order_;
    std::vector<size_t> place_;
    std::vector<ClassEntry> entries_;
};
}  // namespace incrowd::region_search
