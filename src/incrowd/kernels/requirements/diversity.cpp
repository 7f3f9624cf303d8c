#include "requirements/diversity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "requirements/exact_logarithms.hpp"

namespace incrowd {
namespace {
// The counts of the values that are looked at, and the records without one.
std::vector<int64_t> counts_of(Cells cells, int32_t ignored) {
    std::vector<int64_t> counts;
    counts.reserve(cells.size());
    for (const Cell& cell : cells)
        if (cell.value != ignored) counts.push_back(cell.records);
    return counts;
}

int64_t ignored_records(Cells cells, int32_t ignored) {
    for (const Cell& cell : cells)
        if (cell.value == ignored) return cell.records;
    return 0;
}

int64_t capped_sum(const std::vector<int64_t>& counts, int64_t cap) {
    int64_t sum = 0;
    for (const int64_t count : counts) sum += std::min(count, cap);
    return sum;
}

// The sign of the entropy of these counts minus ln(least).
int entropy_sign(std::vector<int64_t> counts, Fraction least) {
    int64_t n = 0;
    for (const int64_t count : counts) n += count;
    std::vector<LogTerm> terms{{n, static_cast<uint64_t>(n)},
                               {n, static_cast<uint64_t>(least.below)},
                               {-n, static_cast<uint64_t>(least.above)}};
    std::ranges::sort(counts);
    for (size_t from = 0, to; from < counts.size(); from = to) {
        for (to = from; to < counts.size() && counts[to] == counts[from];) ++to;
        if (counts[from] > 1)
            terms.push_back({-static_cast<int64_t>(to - from) * counts[from],
                             static_cast<uint64_t>(counts[from])});
    }
    return sign_of_logarithms(terms);
}

bool diverse(const std::vector<int64_t>& counts, Fraction least) {
    if (counts.empty()) return false;
    const auto values = static_cast<int64_t>(counts.size());
    if (Wide{values} * least.below < least.above) return false;  // at most ln(values)
    double n = 0, sum = 0;
    for (const int64_t count : counts) {
        const auto c = static_cast<double>(count);
        n += c;
        sum += count > 1 ? c * std::log(c) : 0;
    }
    const double all = n * std::log(n);
    const double asked = n * (std::log(static_cast<double>(least.above)) -
                              std::log(static_cast<double>(least.below)));
    const double error = 0x1.0p-50 * static_cast<double>(counts.size() + 8) *
                         (all + sum + n * std::log(static_cast<double>(least.above)) +
                          n * std::log(static_cast<double>(least.below)));
    if (all - sum - asked > error) return true;
    if (all - sum - asked < -error) return false;
    return entropy_sign(counts, least) >= 0;
}
}  // namespace

bool Distinct::holds(int64_t, Cells cells) const {
    int64_t found = 0;
    for (const Cell& cell : cells)
        found += cell.value == ignored_ ? 0 : cell.value == alone_ ? cell.records : 1;
    return found >= least_;
}

bool Entropy::holds(int64_t, Cells cells) const {
    return diverse(counts_of(cells, ignored_), least_);
}

// Of all parts with so many records the most even one has the largest entropy, and that is the one
// with the frequent values capped.  The lower the cap, the more even.
int64_t Entropy::largest_part(int64_t, Cells cells, int64_t) const {
    const std::vector<int64_t> counts = counts_of(cells, ignored_);
    const int64_t others = ignored_records(cells, ignored_);
    if (Wide{static_cast<int64_t>(counts.size())} * least_.below < least_.above) return 0;
    const int64_t most = *std::ranges::max_element(counts);
    const int64_t cap = largest_possible(most, [&](int64_t at) {
        std::vector<int64_t> capped = counts;
        for (int64_t& count : capped) count = std::min(count, at);
        return at == 0 || diverse(capped, least_);
    });
    // With the next cap no part holds, nor with that many records.
    return others + (cap == most ? capped_sum(counts, cap) : capped_sum(counts, cap + 1) - 1);
}

bool Recursive::holds(const std::vector<int64_t>& descending, int64_t cap) const {
    if (static_cast<int64_t>(descending.size()) < least_) return false;
    int64_t rarer = 0;
    for (size_t at = static_cast<size_t>(least_) - 1; at < descending.size(); ++at)
        rarer += std::min(descending[at], cap);
    return Wide{std::min(descending[0], cap)} * factor_.below < Wide{factor_.above} * rarer;
}

bool Recursive::holds(int64_t, Cells cells) const {
    std::vector<int64_t> counts = counts_of(cells, ignored_);
    std::ranges::sort(counts, std::greater<>());
    return !counts.empty() && holds(counts, counts[0]);
}

// A part whose most frequent value has m records has at most m of each, and if those do not hold
// it does not either; so the part with every value capped at the largest such m is the largest.
int64_t Recursive::largest_part(int64_t, Cells cells, int64_t) const {
    std::vector<int64_t> counts = counts_of(cells, ignored_);
    std::ranges::sort(counts, std::greater<>());
    if (static_cast<int64_t>(counts.size()) < least_) return 0;
    int64_t cap = counts[0];
    while (cap > 0 && !holds(counts, cap)) {
        // Caps above the least-th count change only the most frequent values: jump to where they
        // could hold.
        int64_t rarer = 0;
        for (size_t at = static_cast<size_t>(least_) - 1; at < counts.size(); ++at)
            rarer += std::min(counts[at], cap);
        const Wide reach = Wide{factor_.above} * rarer / factor_.below;
        cap = reach < cap ? static_cast<int64_t>(reach) : cap - 1;
    }
    return cap == 0 ? 0 : ignored_records(cells, ignored_) + capped_sum(counts, cap);
}
}  // namespace incrowd
