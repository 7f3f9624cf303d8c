#include "clustering/local_search_few_records.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace incrowd {
namespace {
using Set = uint32_t;  // of records: a bit each

constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max() / 4;

Shares shares_of(Set set, std::span<const int32_t> tuple_of) {
    Shares shares;
    for (; set != 0; set &= set - 1) {
        const int32_t tuple = tuple_of[static_cast<size_t>(std::countr_zero(set))];
        if (!shares.empty() && shares.back().tuple == tuple) ++shares.back().records;
        else shares.push_back({tuple, 1});
    }
    return shares;
}

// What each set of records costs as a class.  A set spans what it spans without its first record,
// and that record.
std::vector<int64_t> prices_of(std::span<const FixedColumn> columns, std::span<const int32_t> codes,
                               std::span<const int32_t> tuple_of, int64_t k) {
    const size_t d = columns.size(), n_sets = size_t{1} << tuple_of.size();
    std::vector<int64_t> price(n_sets, kImpossible);
    std::vector<int32_t> low(n_sets * d, std::numeric_limits<int32_t>::max());
    std::vector<int32_t> high(n_sets * d, -1);
    for (size_t set = 1; set < n_sets; ++set) {
        const auto first = static_cast<size_t>(std::countr_zero(set));
        const size_t others = set & (set - 1);
        int64_t each = 0;
        for (size_t j = 0; j < d; ++j) {
            const int32_t code = codes[static_cast<size_t>(tuple_of[first]) * d + j];
            low[set * d + j] = std::min(low[others * d + j], code);
            high[set * d + j] = std::max(high[others * d + j], code);
            each += columns[j].span_cost(low[set * d + j], high[set * d + j]);
        }
        if (std::popcount(set) >= k) price[set] = std::popcount(set) * each;
    }
    return price;
}

// All sets are asked about at once.
void forbid(std::vector<int64_t>& price, std::span<const int32_t> tuple_of,
            const Verdict& verdict) {
    std::vector<Set> sets;
    std::vector<Shares> classes;
    for (Set set = 1; set < price.size(); ++set) {
        if (price[set] == kImpossible) continue;
        sets.push_back(set);
        classes.push_back(shares_of(set, tuple_of));
    }
    const std::vector<bool> allowed = verdict(classes);
    for (size_t at = 0; at < sets.size(); ++at)
        if (!allowed[at]) price[sets[at]] = kImpossible;
}
}  // namespace

// The best way to deal a set is the class of its first record, and the best way to deal the others.
Cheapest cheapest_classes(std::span<const FixedColumn> columns, std::span<const int32_t> codes,
                          std::span<const int32_t> tuple_of, int64_t k, const Verdict& verdict) {
    if (tuple_of.size() > kFewRecords) throw std::invalid_argument("few records: too many");
    std::vector<int64_t> price = prices_of(columns, codes, tuple_of, k);
    if (verdict) forbid(price, tuple_of, verdict);
    std::vector<int64_t> least(price.size(), kImpossible);
    std::vector<Set> chosen(price.size(), 0);
    least[0] = 0;
    for (Set set = 1; set < price.size(); ++set) {
        const Set first = set & -set, rest = set ^ first;
        for (Set others = rest;; others = (others - 1) & rest) {
            const int64_t cost = price[others | first] + least[rest ^ others];
            if (cost < least[set]) least[set] = cost, chosen[set] = others | first;
            if (others == 0) break;
        }
    }
    Cheapest found;
    Set left = static_cast<Set>(price.size() - 1);
    found.cost = least[left];
    if (found.cost >= kImpossible) return found;
    for (; left != 0; left ^= chosen[left])
        found.classes.push_back(shares_of(chosen[left], tuple_of));
    return found;
}
}  // namespace incrowd
