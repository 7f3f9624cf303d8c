// The allowable cuts of a region, and how well each of them tells the classes of a target apart.
//
// Numbers are cut between two values, other columns into the children of the lowest node over the
// region; all sides must be large enough.  The score of a cut is the entropy of the classes in each
// side times its records, summed: O(columns x (rows + codes x classes)) where that is not much more
// than the rows, otherwise the rows are sorted.  The class of a row is its lane after the columns'.
// LeFevre, DeWitt, Ramakrishnan, "Workload-aware anonymization", KDD 2006.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <vector>

#include "regions/region_search.hpp"

namespace incrowd::region_search {

// n log2 n.
class LogWeights {
  public:
    LogWeights() : small_(std::size_t{1} << 16) {
        for (std::size_t n = 1; n < small_.size(); ++n) small_[n] = weight(static_cast<double>(n));
    }

    double operator()(std::int64_t n) const {
        const auto at = static_cast<std::size_t>(n);
        return at < small_.size() ? small_[at] : weight(static_cast<double>(n));
    }

  private:
    static double weight(double n) { return n * std::log2(n); }

    std::vector<double> small_;
};

struct AllowableCut {
    double score;
    double width;         // of the region in the column
    std::int64_t left;    // between two values: the records below it
    std::int64_t uneven;  // by how many the two sides differ; 0 for children of a node
    std::size_t column;
    std::int32_t low;  // the first code of the right side; -1 for children of a node

    // Of equally good cuts: the widest column's, the first column's, the most even one.
    auto rank() const { return std::tuple(-width, column, uneven, low); }
};

template <typename Code>
class EntropyCuts {
  public:
    EntropyCuts(const Search& search, std::size_t n_classes)
        : search_(search), number_of_(n_classes, kAbsent), dense_(search.columns.size()) {}

    bool find(RegionRows<Code>& rows, const Region& region, const Span& low, const Span& high,
              Cut& cut) {
        collect(rows, region, low, high);
        if (cuts_.empty()) return false;
        const auto least = std::min_element(cuts_.begin(), cuts_.end(), by_score)->score;
        const AllowableCut* best = nullptr;
        for (const AllowableCut& each : cuts_)
            if (each.score <= least + tolerance_ && (!best || each.rank() < best->rank()))
                best = &each;
        describe(*best, rows, region, low, high, cut);
        return true;
    }

    // What a cut leaves of the entropy of the classes.
    static double entropy(const AllowableCut& cut, const Region& region) {
        return std::max(cut.score, 0.0) / static_cast<double>(region.records);
    }

    // All allowable cuts, the best first.
    const std::vector<AllowableCut>& ranked(const RegionRows<Code>& rows, const Region& region,
                                            const Span& low, const Span& high) {
        collect(rows, region, low, high);
        std::sort(cuts_.begin(), cuts_.end(), [](const AllowableCut& a, const AllowableCut& b) {
            return std::tuple(a.score, a.rank()) < std::tuple(b.score, b.rank());
        });
        for (auto from = cuts_.begin(); from != cuts_.end();) {
            const double most = from->score + tolerance_;
            const auto to = std::find_if(
                from, cuts_.end(), [most](const AllowableCut& cut) { return cut.score > most; });
            std::sort(from, to, [](const AllowableCut& a, const AllowableCut& b) {
                return a.rank() < b.rank();
            });
            from = to;
        }
        return cuts_;
    }

  private:
    static constexpr std::int32_t kAbsent = -1;

    // A row, as one column shows it.
    struct Entry {
        std::int32_t code, number;
        std::int64_t records;
    };

    // A column whose codes and classes are few enough to be counted in one table.
    struct Dense {
        std::size_t column, start, cells;
        std::int32_t low;
    };

    static bool by_score(const AllowableCut& a, const AllowableCut& b) { return a.score < b.score; }

    void collect(const RegionRows<Code>& rows, const Region& region, const Span& low,
                 const Span& high) {
        cuts_.clear();
        // Sums of rounded numbers: what differs by no more than this is equal.
        tolerance_ = 1e-12 * weight_(region.records);
        number_classes(rows, region.rows);
        count_cells(rows, region.rows, low, high);
        for (std::size_t j = 0; j < search_.columns.size(); ++j) {
            if (low[j] == high[j]) continue;
            if (next_dense_ < n_dense_ && dense_[next_dense_].column == j)
                entries_of_cells(dense_[next_dense_++]);
            else
                entries_of_rows(rows, region.rows, j, low[j], high[j]);
            const double width = search_.columns[j].width_over(low[j], high[j]);
            if (search_.columns[j].place.empty())
                into_children(j, width, low[j], high[j]);
            else
                between_values(j, width, region.records);
        }
    }

    // Numbers the classes of the region, from 0 in the order of its rows.
    void number_classes(const RegionRows<Code>& rows, RowRange range) {
        totals_.clear();
        present_.clear();
        row_number_.resize(range.size);
        const std::size_t lane = search_.columns.size();
        for (std::size_t r = 0; r < range.size; ++r) {
            const auto own = static_cast<std::size_t>(rows.codes(range.start + r)[lane]);
            std::int32_t& number = number_of_[own];
            if (number == kAbsent) {
                number = static_cast<std::int32_t>(totals_.size());
                totals_.push_back(0);
                present_.push_back(own);
            }
            row_number_[r] = number;
            totals_[static_cast<std::size_t>(number)] += rows.records(range.start + r);
        }
        for (const std::size_t each : present_) number_of_[each] = kAbsent;
        counts_.assign(totals_.size(), 0);
    }

    // Counts records by code and class in all columns at once, where that takes little space.
    void count_cells(const RegionRows<Code>& rows, RowRange range, const Span& low,
                     const Span& high) {
        n_dense_ = next_dense_ = 0;
        std::size_t cells = 0;
        for (std::size_t j = 0; j < search_.columns.size(); ++j) {
            if (low[j] == high[j]) continue;
            const std::size_t own =
                (static_cast<std::size_t>(high[j] - low[j]) + 1) * totals_.size();
            if (own > 4 * range.size + 256) continue;
            dense_[n_dense_++] = {j, cells, own, low[j]};
            cells += own;
        }
        cells_.assign(cells, 0);
        const std::size_t classes = totals_.size();
        for (std::size_t r = 0; r < range.size; ++r) {
            const Code* row = rows.codes(range.start + r);
            const std::int64_t records = rows.records(range.start + r);
            std::int64_t* const own = cells_.data() + row_number_[r];
            for (std::size_t d = 0; d < n_dense_; ++d) {
                const Dense& dense = dense_[d];
                const auto code = static_cast<std::size_t>(row[dense.column] - dense.low);
                own[dense.start + code * classes] += records;
            }
        }
    }

    void entries_of_cells(const Dense& dense) {
        entries_.clear();
        const std::int64_t* cell = cells_.data() + dense.start;
        const auto classes = static_cast<std::int32_t>(totals_.size());
        const auto codes = static_cast<std::int32_t>(dense.cells / totals_.size());
        for (std::int32_t code = 0; code < codes; ++code)
            for (std::int32_t number = 0; number < classes; ++number, ++cell)
                if (*cell) entries_.push_back({dense.low + code, number, *cell});
    }

    void entries_of_rows(const RegionRows<Code>& rows, RowRange range, std::size_t j,
                         std::int32_t low, std::int32_t high) {
        order_rows(rows, range, j, low, high);
        entries_.clear();
        for (const std::uint64_t each : order_) {
            const auto row = static_cast<std::uint32_t>(each);
            entries_.push_back({static_cast<std::int32_t>(each >> 32), row_number_[row],
                                rows.records(range.start + row)});
        }
    }

    // Sets `order_` to the rows by code: the code, and in the lower half which row it is.
    void order_rows(const RegionRows<Code>& rows, RowRange range, std::size_t j, std::int32_t low,
                    std::int32_t high) {
        order_.resize(range.size);
        const auto key = [&](std::size_t r) {
            const auto code = static_cast<std::uint64_t>(rows.codes(range.start + r)[j]);
            return code << 32 | r;
        };
        const auto codes = static_cast<std::size_t>(high - low) + 1;
        if (codes > 4 * range.size + 64) {  // more codes than are worth looking at
            for (std::size_t r = 0; r < range.size; ++r) order_[r] = key(r);
            std::sort(order_.begin(), order_.end());
            return;
        }
        place_.assign(codes + 1, 0);
        for (std::size_t r = 0; r < range.size; ++r)
            ++place_[static_cast<std::size_t>(rows.codes(range.start + r)[j] - low) + 1];
        std::partial_sum(place_.begin(), place_.end(), place_.begin());
        for (std::size_t r = 0; r < range.size; ++r)
            order_[place_[static_cast<std::size_t>(rows.codes(range.start + r)[j] - low)]++] =
                key(r);
    }

    // Moves one code after the other to the left, and the entropies of both sides along.
    void between_values(std::size_t j, double width, std::int64_t records) {
        std::int64_t below = 0;
        double left = 0.0, right = 0.0;  // the sums over the classes
        bool summed = false;
        for (std::size_t at = 0; at < entries_.size();) {
            const std::int32_t code = entries_[at].code;
            for (; at < entries_.size() && entries_[at].code == code; ++at) {
                const Entry& entry = entries_[at];
                const auto number = static_cast<std::size_t>(entry.number);
                const std::int64_t before = counts_[number], after = before + entry.records;
                if (summed) {
                    left += weight_(after) - weight_(before);
                    right += weight_(totals_[number] - after) - weight_(totals_[number] - before);
                }
                counts_[number] = after;
                below += entry.records;
            }
            if (records - below < search_.size) break;
            if (below < search_.size) continue;
            if (!summed) sum_classes(left, right);
            summed = true;
            const double score = weight_(below) - left + weight_(records - below) - right;
            cuts_.push_back({score, width, below, std::abs(records - below - below), j, code + 1});
        }
        std::fill(counts_.begin(), counts_.end(), 0);
    }

    void sum_classes(double& left, double& right) const {
        for (std::size_t number = 0; number < totals_.size(); ++number) {
            left += weight_(counts_[number]);
            right += weight_(totals_[number] - counts_[number]);
        }
    }

    void into_children(std::size_t j, double width, std::int32_t low, std::int32_t high) {
        const RegionColumn& column = search_.columns[j];
        const std::size_t level = column.level_over(low, high) - 1;
        double score = 0.0;
        bool allowable = true;
        for (std::size_t at = 0; at < entries_.size();) {
            const std::int32_t first = column.first_at(level, entries_[at].code);
            const std::size_t from = at;
            std::int64_t records = 0;
            for (; at < entries_.size() && column.first_at(level, entries_[at].code) == first;
                 ++at) {
                counts_[static_cast<std::size_t>(entries_[at].number)] += entries_[at].records;
                records += entries_[at].records;
            }
            allowable &= records >= search_.size;
            score += weight_(records);
            for (std::size_t e = from; e < at; ++e) {
                std::int64_t& count = counts_[static_cast<std::size_t>(entries_[e].number)];
                score -= weight_(count);
                count = 0;
            }
        }
        if (allowable) cuts_.push_back({score, width, 0, 0, j, -1});
    }

    void describe(const AllowableCut& chosen, RegionRows<Code>& rows, const Region& region,
                  const Span& low, const Span& high, Cut& cut) {
        const std::size_t j = cut.column = chosen.column;
        cut.score = entropy(chosen, region);
        if (chosen.low < 0) {
            rows.tally(region.rows, j, low[j], high[j], tallies_);
            children_of_node(search_.columns[j], low[j], high[j], tallies_, cut.sides);
        } else {
            cut.sides = {{low[j], chosen.left}, {chosen.low, region.records - chosen.left}};
        }
    }

    const Search& search_;
    LogWeights weight_;
    double tolerance_ = 0.0;
    std::vector<AllowableCut> cuts_;
    std::vector<std::int32_t> number_of_;        // by class of the table
    std::vector<std::size_t> present_;           // by class of the region: which it is
    std::vector<std::int32_t> row_number_;       // by row of the region
    std::vector<std::int64_t> totals_, counts_;  // by class of the region
    std::vector<Dense> dense_;
    std::size_t n_dense_ = 0, next_dense_ = 0;
    std::vector<std::int64_t> cells_;
    std::vector<std::uint64_t> order_;
    std::vector<std::size_t> place_;
    std::vector<Entry> entries_;
    std::vector<Tally> tallies_;
};

}  // namespace incrowd::region_search
