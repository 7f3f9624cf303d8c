#include "requirements/shares.hpp"

#include <algorithm>
#include <numeric>

#include "requirements/exact_logarithms.hpp"

namespace incrowd {
void Reference::set(std::span<const int64_t> by_value) {
    records.assign(by_value.begin(), by_value.end());
    total = std::accumulate(records.begin(), records.end(), int64_t{0});
}

bool ShareAtMost::holds(int64_t records, Cells cells) const {
    const Wide most = Wide{most_.above} * records;
    return std::ranges::all_of(cells, [&](const Cell& cell) {
        return !is_bounded(cell.value) || Wide{cell.records} * most_.below <= most;
    });
}

// A part of n records has at most its count, and at most the share of n, of each value.
int64_t ShareAtMost::largest_part(int64_t records, Cells cells, int64_t) const {
    return largest_possible(records, [&](int64_t n) {
        const Wide most = Wide{most_.above} * n;
        Wide sum = 0;
        for (const Cell& cell : cells) {
            const Wide own = Wide{cell.records} * most_.below;
            sum += is_bounded(cell.value) ? std::min(own, most) : own;
        }
        return sum >= Wide{n} * most_.below;
    });
}

bool BetaLikeness::holds(int64_t records, const Cell& cell) const {
    const int64_t base = reference_.of(cell.value);
    const Wide own = Wide{cell.records} * reference_.total, usual = Wide{base} * records;
    if (own <= usual) return true;
    if (base == 0 || (own - usual) * most_.below > most_.above * usual) return false;
    if (!enhanced_) return true;
    // 1 + ln(total / base) - share / usual share >= 0
    const LogTerm terms[] = {{1, static_cast<uint64_t>(reference_.total)},
                             {-1, static_cast<uint64_t>(base)}};
    const Ratio share{static_cast<uint64_t>(cell.records), static_cast<uint64_t>(reference_.total),
                      static_cast<uint64_t>(base), static_cast<uint64_t>(records)};
    return sign_of_logarithms(terms, {.first = 1}, share) >= 0;
}

bool BetaLikeness::holds(int64_t records, Cells cells) const {
    return std::ranges::all_of(cells, [&](const Cell& cell) { return holds(records, cell); });
}

// A value's share in the table grows at most by the share of the table that is dropped, and the
// logarithm with it shrinks; so (1 + beta) x share / (1 - dropped) bounds the shares of every part.
int64_t BetaLikeness::largest_part(int64_t records, Cells cells, int64_t dropped) const {
    const int64_t left = reference_.total - dropped;
    if (left <= 0) return records;
    return largest_possible(records, [&](int64_t n) {
        Wide sum = 0;
        for (const Cell& cell : cells) {
            const Wide own = Wide{cell.records} * most_.below * left;
            const Wide most = Wide{reference_.of(cell.value)} * n * (most_.below + most_.above);
            sum += std::min(own, most);
        }
        return sum >= Wide{n} * most_.below * left;
    });
}

void DeltaDisclosure::refer_to(std::span<const int64_t> by_value) {
    reference_.set(by_value);
    values_ = static_cast<size_t>(
        std::ranges::count_if(by_value, [](int64_t records) { return records > 0; }));
}

bool DeltaDisclosure::holds(int64_t records, Cells cells) const {
    if (!ignores_absent_ && cells.size() < values_) return false;
    return std::ranges::all_of(cells, [&](const Cell& cell) {
        const int64_t base = reference_.of(cell.value);
        if (base == 0) return false;
        LogTerm terms[] = {{most_.below, static_cast<uint64_t>(cell.records)},
                           {most_.below, static_cast<uint64_t>(reference_.total)},
                           {-most_.below, static_cast<uint64_t>(records)},
                           {-most_.below, static_cast<uint64_t>(base)},
                           {-most_.above, 2}};
        if (sign_of_logarithms(terms) >= 0) return false;
        terms[4].factor = most_.above;
        return sign_of_logarithms(terms) > 0;
    });
}
}  // namespace incrowd
