#include "regions/infogain_mondrian.hpp"

#include <cmath>
#include <cstdlib>
#include <tuple>

#include "regions/infogain_mondrian_entries.hpp"
#include "regions/side_requirements.hpp"

namespace incrowd::region_search {
namespace {
// n log2 n.
class LogWeights {
  public:
    LogWeights() : small_(size_t{1} << 16) {
        for (size_t n = 1; n < small_.size(); ++n) small_[n] = weight(static_cast<double>(n));
    }

    double operator()(int64_t n) const {
        const auto at = static_cast<size_t>(n);
        return at < small_.size() ? small_[at] : weight(static_cast<double>(n));
    }

  private:
    static double weight(double n) { return n * std::log2(n); }

    std::vector<double> small_;
};

// A cut whose sides have records enough.
struct LargeEnough {
    double score;
    double width;    // of the region in the column
    int64_t left;    // between two values: the records below it
    int64_t uneven;  // by how many the two sides differ; 0 for children of a node
    size_t column;
    int32_t low;  // the first code of the right side; -1 for children of a node

    // Of equally good cuts: the widest column's, the first column's, the most even one.
    auto rank() const { return std::tuple(-width, column, uneven, low); }
};

template <typename Code>
class EntropyCuts {
  public:
    EntropyCuts(const Search& search, const SearchRows& rows, size_t n_classes)
        : search_(search), classes_(search, n_classes), required_(search, rows) {}

    // The allowable cut of most information gain: what it leaves of the entropy of the target is
    // least.
    bool find(RegionRows<Code>& rows, const Region& region, const Span& low, const Span& high,
              Cut& cut) {
        collect(rows, region, low, high);
        if (cuts_.empty()) return false;
        describe(best(), rows, region, low, high, cut);
        return required_.hold(rows, region, cut) || find_next(rows, region, low, high, cut);
    }

  private:
    // The same without the best cut; they are ranked only now, for mostly that one is allowable.
    [[gnu::noinline]] bool find_next(RegionRows<Code>& rows, const Region& region, const Span& low,
                                     const Span& high, Cut& cut) {
        rank();
        return std::any_of(cuts_.begin() + 1, cuts_.end(), [&](const LargeEnough& each) {
            describe(each, rows, region, low, high, cut);
            return required_.hold(rows, region, cut);
        });
    }

    const LargeEnough& best() const {
        const auto least = std::ranges::min_element(cuts_, by_score)->score;
        const LargeEnough* best = nullptr;
        for (const LargeEnough& each : cuts_)
            if (each.score <= least + tolerance_ && (!best || each.rank() < best->rank()))
                best = &each;
        return *best;
    }

    // Puts the cuts into the order in which they are tried, the best first: of those that are
    // equally good as the best of the rest, by rank.
    void rank() {
        std::ranges::sort(cuts_, by_score);
        for (auto from = cuts_.begin(); from != cuts_.end();) {
            const double most = from->score + tolerance_;
            const auto to = std::find_if(
                from, cuts_.end(), [most](const LargeEnough& cut) { return cut.score > most; });
            std::sort(from, to, [](const LargeEnough& a, const LargeEnough& b) {
                return a.rank() < b.rank();
            });
            from = to;
        }
    }

    static bool by_score(const LargeEnough& a, const LargeEnough& b) { return a.score < b.score; }

    void collect(const RegionRows<Code>& rows, const Region& region, const Span& low,
                 const Span& high) {
        cuts_.clear();
        // Sums of rounded numbers: what differs by no more than this is equal.
        tolerance_ = 1e-12 * weight_(region.records);
        classes_.look_at(rows, region.rows, low, high);
        counts_.assign(classes_.totals().size(), 0);
        for (size_t j = 0; j < search_.columns.size(); ++j) {
            if (low[j] == high[j]) continue;
            const auto& entries = classes_.of(rows, region.rows, j, low[j], high[j]);
            const double width = search_.columns[j].width_over(low[j], high[j]);
            if (search_.columns[j].place.empty()) into_children(entries, j, width, low[j], high[j]);
            else between_values(entries, j, width, region.records);
        }
    }

    // The cuts of a number: moves one code after the other to the left, and the entropies of both
    // sides along.
    void between_values(const std::vector<ClassEntry>& entries, size_t j, double width,
                        int64_t records) {
        const std::vector<int64_t>& totals = classes_.totals();
        int64_t below = 0;
        double left = 0.0, right = 0.0;  // the sums over the classes
        bool summed = false;
        for (size_t at = 0; at < entries.size();) {
            const int32_t code = entries[at].code;
            for (; at < entries.size() && entries[at].code == code; ++at) {
                const ClassEntry& entry = entries[at];
                const auto number = static_cast<size_t>(entry.number);
                const int64_t before = counts_[number], after = before + entry.records;
                if (summed) {
                    left += weight_(after) - weight_(before);
                    right += weight_(totals[number] - after) - weight_(totals[number] - before);
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
        std::ranges::fill(counts_, 0);
    }

    void sum_classes(double& left, double& right) const {
        const std::vector<int64_t>& totals = classes_.totals();
        for (size_t number = 0; number < totals.size(); ++number) {
            left += weight_(counts_[number]);
            right += weight_(totals[number] - counts_[number]);
        }
    }

    void into_children(const std::vector<ClassEntry>& entries, size_t j, double width, int32_t low,
                       int32_t high) {
        const RegionColumn& column = search_.columns[j];
        const size_t level = column.level_over(low, high) - 1;
        double score = 0.0;
        bool allowable = true;
        for (size_t at = 0; at < entries.size();) {
            const int32_t first = column.first_at(level, entries[at].code);
            const size_t from = at;
            int64_t records = 0;
            for (; at < entries.size() && column.first_at(level, entries[at].code) == first; ++at) {
                counts_[entries[at].number] += entries[at].records;
                records += entries[at].records;
            }
            allowable &= records >= search_.size;
            score += weight_(records);
            for (size_t e = from; e < at; ++e) {
                int64_t& count = counts_[entries[e].number];
                score -= weight_(count);
                count = 0;
            }
        }
        if (allowable) cuts_.push_back({score, width, 0, 0, j, -1});
    }

    void describe(const LargeEnough& chosen, RegionRows<Code>& rows, const Region& region,
                  const Span& low, const Span& high, Cut& cut) {
        const size_t j = cut.column = chosen.column;
        cut.score = std::max(chosen.score, 0.0) / static_cast<double>(region.records);
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
    std::vector<LargeEnough> cuts_;
    ClassEntries<Code> classes_;
    SideRequirements<Code> required_;
    std::vector<int64_t> counts_;  // by class of the region
    std::vector<Tally> tallies_;
};

size_t n_classes(std::span<const int32_t> classes) {
    int32_t most = -1;
    for (const int32_t each : classes) most = std::max(most, each);
    return static_cast<size_t>(int64_t{most} + 1);
}

// The codes of each column, then the classes.
std::vector<const int32_t*> lanes_of(const Search& search, const Tuples& tuples, Classes classes) {
    auto lanes = lanes_of(search, tuples);
    lanes.push_back(classes.data());
    return lanes;
}
}  // namespace

Found infogain_mondrian(const Search& search, const Tuples& tuples, Classes classes) {
    const SearchRows rows(search.requirements, search.divides, search.columns.size(),
                          lanes_of(search, tuples, classes), tuples.records);
    const size_t n = n_classes(classes);
    return with_narrow_codes(search, n, [&](auto code) {
        using Cuts = EntropyCuts<decltype(code)>;
        return Shared<decltype(code), Cuts>(search).run(rows, Cuts(search, rows, n));
    });
}
}  // namespace incrowd::region_search
