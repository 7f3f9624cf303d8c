// Regions split by the loss that the split removes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clustering/fixed_columns.hpp"
#include "clustering/share.hpp"

namespace incrowd {

using Region = Shares;

class GainSplit {
  public:
    // `codes` is (tuples, columns), row by row.
    GainSplit(std::span<const FixedColumn> columns, std::span<const std::int32_t> codes,
              std::int64_t k);

    // Splits a region once, by the column that gains most; one part if no split gains.
    std::vector<Region> split(const Region& region);
    // Splits until nothing gains, or every part holds at most `enough` records.
    std::vector<Region> split_down(Region region, std::int64_t enough);

  private:
    struct Plan {
        std::size_t column = 0;
        std::int64_t cost = 0;              // estimated, of all parts over all columns
        std::vector<std::int32_t> ends;     // a piece holds the codes below its end
        std::vector<std::int32_t> part_of;  // by piece: its part; -1 is the rest, the last part
        std::size_t n_parts = 0;            // without the rest
        std::int64_t rest = 0;              // records in it
    };

    void survey(const Region& region);
    std::int64_t cost_of(const std::int32_t* low, const std::int32_t* high) const;
    std::int64_t cost_with(const std::vector<std::int32_t>& low,
                           const std::vector<std::int32_t>& high, std::int32_t tuple) const;
    std::int64_t total_cost(const Region& region);
    bool plan(const Region& region, std::size_t j, Plan& plan);
    bool plan_rest(Plan& plan, std::int64_t surplus);
    void join_cheapest(Plan& plan);
    void find_ends(const Region& region, std::size_t j);
    void gather(const Region& region, std::size_t j, std::size_t n_pieces);
    std::vector<Region> carry_out(const Region& region, const Plan& plan);
    void borrow(std::vector<Region>& parts, std::int64_t wanted);

    std::span<const FixedColumn> columns_;
    std::span<const std::int32_t> codes_;
    std::int64_t k_;
    std::size_t d_;
    std::int64_t records_ = 0;              // of the region at hand
    std::vector<std::int32_t> low_, high_;  // its smallest and largest code by column
    // By column: where the list of each node starts, and the ends of its children in it.
    std::vector<std::vector<std::int32_t>> child_start_, child_ends_;
    // Of the split at hand: the ends of its pieces; the piece of each code; what each piece holds.
    std::vector<std::int32_t> ends_, piece_of_code_, piece_low_, piece_high_;
    std::vector<std::int64_t> piece_records_;
    std::vector<std::int32_t> rest_low_, rest_high_;  // what its small pieces span together
};

}  // namespace incrowd
