#include "regions/mondrian.hpp"

#include "regions/side_requirements.hpp"

namespace incrowd::region_search {
namespace {
template <typename Code>
class MondrianCuts {
  public:
    MondrianCuts(const Search& search, const SearchRows& rows, Split split)
        : search_(search), split_(split), required_(search, rows), tried_(search.columns.size()) {}

    bool find(RegionRows<Code>& rows, const Region& region, const Span& low, const Span& high,
              Cut& cut) {
        std::ranges::fill(tried_, false);
        while (widest(low, high, cut.column)) {
            const size_t j = cut.column;
            rows.tally(region.rows, j, low[j], high[j], tallies_);
            if (split_ == Split::hierarchy)
                children_of_node(search_.columns[j], low[j], high[j], tallies_, cut.sides);
            else if (split_ == Split::median) median(region.records, low[j], cut);
            else halves(region.records, low[j], cut);
            if (large_enough(cut) && required_.hold(rows, region, cut)) return true;
            tried_[j] = true;
        }
        return false;
    }

  private:
    bool large_enough(const Cut& cut) const {
        return std::ranges::all_of(
            cut.sides, [this](const Side& side) { return side.records >= search_.size; });
    }

    // The paper's choose_dimension: sets `column` to the widest one that was not tried; of equally
    // wide ones, the first.
    bool widest(const Span& low, const Span& high, size_t& column) const {
        double most = 0.0;
        bool any = false;
        for (size_t j = 0; j < low.size(); ++j) {
            if (tried_[j] || low[j] == high[j]) continue;
            const double width = search_.columns[j].width_over(low[j], high[j]);
            if (!any || width > most) {
                most = width;
                column = j;
            }
            any = true;
        }
        return any;
    }

    // The paper's find_median.  Left of the cut: codes up to the smallest that has half of the
    // records at or below it.  If that is the largest code, up to the one before it.
    void median(int64_t records, int32_t low, Cut& cut) const {
        size_t at = 0;
        int64_t below = tallies_[0].records;
        while (at + 2 < tallies_.size() && below < records - below) below += tallies_[++at].records;
        cut.sides = {{low, below}, {tallies_[at].code + 1, records - below}};
    }

    // One half of the records each; the second begins with the code at which they are divided.
    void halves(int64_t records, int32_t low, Cut& cut) const {
        size_t at = 0;
        int64_t below = 0;
        const int64_t left = records - records / 2;
        while (left - below > tallies_[at].records) below += tallies_[at++].records;
        cut.sides = {{low, left, left - below}, {tallies_[at].code, records / 2}};
    }

    const Search& search_;
    const Split split_;
    SideRequirements<Code> required_;
    std::vector<uint8_t> tried_;
    std::vector<Tally> tallies_;
};
}  // namespace

Found mondrian(const Search& search, Split split, const Tuples& tuples) {
    const SearchRows rows(search.requirements, search.divides, search.columns.size(),
                          lanes_of(search, tuples), tuples.records);
    return with_narrow_codes(search, 0, [&](auto code) {
        using Cuts = MondrianCuts<decltype(code)>;
        return Shared<decltype(code), Cuts>(search).run(rows, Cuts(search, rows, split));
    });
}
}  // namespace incrowd::region_search
