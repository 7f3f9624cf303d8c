// Whether the sides of a cut hold what is required of them beyond their sizes.
//
// Each question reads the rows of the region a few times, and what they carry once.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "regions/region_search.hpp"
#include "requirements/kind_tally.hpp"

namespace incrowd::region_search {
template <typename Code>
class SideRequirements {
  public:
    SideRequirements(const Search& search, const SearchRows& carried)
        : search_(search), carried_(carried), tally_(search.requirements) {}

    bool hold(const RegionRows<Code>& rows, const Region& region, const Cut& cut) {
        if (search_.requirements.only_sizes()) return true;
        return search_.divides ? halves_hold(rows, region.rows, cut)
                               : sides_hold(rows, region.rows, cut);
    }

  private:
    static constexpr size_t kFirstLook = 16, kNextLook = 4;  // rows, and times as many

    bool sides_hold(const RegionRows<Code>& rows, RowRange range, const Cut& cut) {
        order_by_side(rows, range, cut);
        for (size_t s = 0; s < cut.sides.size(); ++s)
            if (!side_holds(first_[s], first_[s + 1], cut.sides[s].records)) return false;
        return true;
    }

    // Where more records never harm, a few of them may be enough.
    bool side_holds(size_t from, size_t to, int64_t records) {
        size_t enough = tally_.more_never_harms() ? from + kFirstLook : to;
        for (size_t at = from; at < to; ++at) {
            add_all(&carried_.part(row_[at]));
            if (at != enough) continue;
            if (tally_.hold_so_far(records)) {
                tally_.clear();
                return true;
            }
            enough = from + kNextLook * (enough - from);
        }
        return tally_.hold(records);
    }

    void add_all(const RowPart* part) {
        for (;; ++part) {
            tally_.add(part->kind, part->records);
            if (part->last) return;
        }
    }

    // Sets row_ to the numbers of the rows, those of each side together; first_ says where.
    void order_by_side(const RegionRows<Code>& rows, RowRange range, const Cut& cut) {
        side_of_.resize(range.size);
        row_.resize(range.size);
        first_.assign(cut.sides.size() + 2, 0);
        for (size_t r = 0; r < range.size; ++r) {
            side_of_[r] = side_of(rows.codes(range.start + r)[cut.column], cut.sides);
            ++first_[side_of_[r] + 2];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        for (size_t r = 0; r < range.size; ++r)
            row_[first_[side_of_[r] + 1]++] = rows.number(range.start + r);
    }

    static uint32_t side_of(int32_t code, const std::vector<Side>& sides) {
        if (sides.size() == 2) return code >= sides[1].low;
        const auto next = std::ranges::upper_bound(sides, code, {}, &Side::low);
        return static_cast<uint32_t>(next - sides.begin() - 1);
    }

    // As the rows will be divided (RegionRows::divide).
    bool halves_hold(const RegionRows<Code>& rows, RowRange range, const Cut& cut) {
        const std::vector<int32_t>& kind = search_.requirements.kind();
        for (const bool right : {false, true}) {
            int64_t borrowed = cut.sides[0].borrowed;
            for (size_t r = range.start; r < range.start + range.size; ++r) {
                const int64_t left = rows.taken(r, cut.column, cut.sides[1].low, borrowed);
                const int64_t own = right ? rows.records(r) - left : left;
                if (own) tally_.add(kind[static_cast<size_t>(rows.number(r))], own);
            }
            if (!tally_.hold(cut.sides[right].records)) return false;
        }
        return true;
    }

    const Search& search_;
    const SearchRows& carried_;
    KindTally tally_;
    std::vector<uint32_t> side_of_;  // by row of the region
    std::vector<int32_t> row_;
    std::vector<size_t> first_;
};
}  // namespace incrowd::region_search
