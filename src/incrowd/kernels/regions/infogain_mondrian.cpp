#include "regions/infogain_mondrian.hpp"

#include <cmath>
#include <cstdlib>
#include <tuple>

#include "regions/infogain_mondrian_entries.hpp"

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

struct AllowableCut {
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
    EntropyCuts(const Search& search, size_t n_classes)
        : search_(search), classes_(search, n_classes) {}

    // The cut of most information gain: what it leaves of the entropy of the target is least.
    bool find(RegionRows<Code>& rows, const Region& region, const Span& low, const Span& high,
              Cut& cut) {
        collect(rows, region, low, high);
        if (cuts_.empty()) return false;
        const auto least = std::ranges::min_element(cuts_, by_score)->score;
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
        std::ranges::sort(cuts_, [](const AllowableCut& a, const AllowableCut& b) {
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
    static bool by_score(const AllowableCut& a, const AllowableCut& b) { return a.score < b.score; }

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

    void describe(const AllowableCut& chosen, RegionRows<Code>& rows, const Region& region,
                  const Span& low, const Span& high, Cut& cut) {
        const size_t j = cut.column = chosen.column;
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
    ClassEntries<Code> classes_;
    std::vector<int64_t> counts_;  // by class of the region
    std::vector<Tally> tallies_;
};

size_t n_classes(std::span<const int32_t> classes) {
    int32_t most = -1;
    for (const int32_t each : classes) most = std::max(most, each);
    return static_cast<size_t>(most + 1);
}

// The codes of each column, then the classes.
std::vector<const int32_t*> lanes_of(const Search& search, const Tuples& tuples, Classes classes) {
    auto lanes = lanes_of(search, tuples);
    lanes.push_back(classes.data());
    return lanes;
}

template <typename Code>
RankedCuts ranked_with(const Search& search, const Tuples& tuples, Classes classes,
                       std::span<const int64_t> first) {
    RegionRows<Code> rows(search.columns.size() + 1, false);
    rows.load(lanes_of(search, tuples, classes), tuples.records.data(), tuples.size());
    EntropyCuts<Code> cuts(search, n_classes(classes));
    Span low(search.columns.size() + 1), high(low.size());
    RankedCuts found;
    for (size_t at = 0; at + 1 < first.size(); ++at) {
        const auto start = static_cast<size_t>(first[at]);
        const auto end = static_cast<size_t>(first[at + 1]);
        Region region{{start, end - start}, 0, -1};
        for (size_t row = start; row < end; ++row) region.records += rows.records(row);
        rows.span(region.rows, low.data(), high.data());
        const std::vector<AllowableCut>& ranked = cuts.ranked(rows, region, low, high);
        found.cuts.push_back(static_cast<int64_t>(ranked.size()));
        for (const AllowableCut& cut : ranked) {
            found.column.push_back(static_cast<int32_t>(cut.column));
            found.low.push_back(cut.low);
            found.entropy.push_back(EntropyCuts<Code>::entropy(cut, region));
        }
    }
    return found;
}
}  // namespace

Found infogain_mondrian(const Search& search, const Tuples& tuples, Classes classes) {
    return with_narrow_codes(search, n_classes(classes), [&](auto code) {
        using Cuts = EntropyCuts<decltype(code)>;
        return Shared<decltype(code), Cuts>(search).run(
            lanes_of(search, tuples, classes), tuples.records, Cuts(search, n_classes(classes)));
    });
}

RankedCuts entropy_cuts(const Search& search, const Tuples& tuples, Classes classes,
                        std::span<const int64_t> first) {
    return with_narrow_codes(search, n_classes(classes), [&](auto code) {
        return ranked_with<decltype(code)>(search, tuples, classes, first);
    });
}
}  // namespace incrowd::region_search
