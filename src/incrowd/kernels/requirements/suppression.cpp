#include "requirements/suppression.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace incrowd {
namespace {
constexpr int64_t kDenseKeys = 1 << 16;
constexpr int64_t kWhole = -1;  // not one part of a class, but all of it
}  // namespace

Suppression::Suppression(const Requirements& requirements, Items items, std::vector<View> views,
                         bool masks)
    : requirements_(requirements), items_(items), views_(std::move(views)), masks_(masks) {
    const auto n = static_cast<int32_t>(items_.records.size());
    for (const View& view : views_) {
        Sorted sorted;
        sorted.start.assign(static_cast<size_t>(view.classes) + 1, 0);
        for (const int32_t own : view.class_of) ++sorted.start[static_cast<size_t>(own) + 1];
        std::partial_sum(sorted.start.begin(), sorted.start.end(), sorted.start.begin());
        sorted.items.resize(static_cast<size_t>(n));
        std::vector<int32_t> next(sorted.start.begin(), sorted.start.end() - 1);
        for (int32_t i = 0; i < n; ++i)
            sorted.items[next[view.class_of[static_cast<size_t>(i)]]++] = i;
        sorted_.push_back(std::move(sorted));
        dirty_.emplace_back(static_cast<size_t>(view.classes), 1);
    }
    int64_t most = 0;
    for (const Spread& spread : requirements_.spreads())
        most = std::max(most, spread.values * spread.knowns);
    if (most <= kDenseKeys) tally_.assign(static_cast<size_t>(most), 0);
}

int64_t Suppression::living(const Sorted& sorted, size_t at, std::span<const uint8_t> dead) const {
    int64_t records = 0;
    for (int32_t s = sorted.start[at]; s < sorted.start[at + 1]; ++s) {
        const auto item = static_cast<size_t>(sorted.items[s]);
        records += dead[item] ? 0 : items_.records[item];
    }
    return records;
}

// Sets cells_ to those of the living items of a class.
void Suppression::collect(const Sorted& sorted, size_t at, const Spread& spread,
                          std::span<const uint8_t> dead) {
    cells_.clear();
    for (int32_t s = sorted.start[at]; s < sorted.start[at + 1]; ++s) {
        const auto item = static_cast<size_t>(sorted.items[s]);
        if (dead[item]) continue;
        const int64_t key = spread.key(items_.kind[item]);
        if (tally_.empty()) {
            cells_.push_back({key, items_.records[item]});
            continue;
        }
        int64_t& tally = tally_[static_cast<size_t>(key)];
        if (tally == 0) cells_.push_back({key, 0});
        tally += items_.records[item];
    }
    if (tally_.empty()) return gather(cells_);
    std::ranges::sort(cells_, {}, &Kinds::key);
    for (Kinds& cell : cells_) {
        cell.records = tally_[static_cast<size_t>(cell.key)];
        tally_[static_cast<size_t>(cell.key)] = 0;
    }
}

// Calls found(class, known value or kWhole, records, cells) for all that violates a requirement.
template <typename Found>
void Suppression::each_violating(size_t r, const Form& form, std::span<const uint8_t> dead,
                                 std::span<const uint8_t> dirty, const Found& found) {
    const Asked& asked = requirements_.asked()[r];
    const Sorted& sorted = sorted_[static_cast<size_t>(asked.view)];
    for (size_t at = 0; at < dirty.size(); ++at) {
        if (!dirty[at]) continue;
        if (asked.spread == kNoSpread) {
            const int64_t records = living(sorted, at, dead);
            if (records && !form.holds(records, {})) found(at, kWhole, records, Cells());
            continue;
        }
        const Spread& spread = requirements_.spreads()[static_cast<size_t>(asked.spread)];
        collect(sorted, at, spread, dead);
        each_part(spread, cells_, part_, [&](Cells cells, int64_t records, int64_t known) {
            if (!form.holds(records, cells))
                found(at, spread.known.empty() ? kWhole : known, records, cells);
            return true;
        });
    }
}

// Lets fall what violates one of the chosen requirements; whether anything did.
bool Suppression::round(const Forms* forms, const Chosen& chosen, int64_t limit, Fallen& fallen,
                        Falls falls) {
    falling_.clear();
    const auto& all = requirements_.asked();
    for (size_t r = 0; r < all.size(); ++r) {
        if (!chosen[r]) continue;
        const auto view = static_cast<size_t>(all[r].view);
        const Sorted& sorted = sorted_[view];
        const Form& form = forms ? *(*forms)[r] : *all[r].form;
        each_violating(r, form, fallen.items, dirty_[view],
                       [&](size_t at, int64_t known, int64_t, Cells) {
                           for (int32_t s = sorted.start[at]; s < sorted.start[at + 1]; ++s) {
                               const int32_t item = sorted.items[s];
                               if (fallen.items[static_cast<size_t>(item)]) continue;
                               const int32_t kind = items_.kind[static_cast<size_t>(item)];
                               if (known == kWhole || falls == Falls::classes ||
                                   requirements_.spreads()[static_cast<size_t>(all[r].spread)]
                                           .known[static_cast<size_t>(kind)] == known)
                                   falling_.push_back(item);
                           }
                       });
    }
    for (auto& dirty : dirty_) std::ranges::fill(dirty, 0);
    for (const int32_t item : falling_) {
        uint8_t& dead = fallen.items[static_cast<size_t>(item)];
        if (!dead) fallen.records += items_.records[static_cast<size_t>(item)];
        dead = 1;
    }
    mark_dirty(falling_);
    return !falling_.empty() && fallen.records <= limit;
}

void Suppression::mark_dirty(const std::vector<int32_t>& items) {
    for (size_t view = 0; view < views_.size(); ++view)
        for (const int32_t item : items)
            dirty_[view][static_cast<size_t>(views_[view].class_of[static_cast<size_t>(item)])] = 1;
}

// Whether the marked items hold a requirement as one class.
bool Suppression::holds_as_class(size_t r, std::span<const uint8_t> inside) {
    const Asked& asked = requirements_.asked()[r];
    Sorted all{{0, static_cast<int32_t>(inside.size())}, std::vector<int32_t>(inside.size())};
    std::iota(all.items.begin(), all.items.end(), 0);
    std::vector<uint8_t> outside(inside.begin(), inside.end());
    for (uint8_t& each : outside) each = !each;
    if (asked.spread != kNoSpread)
        collect(all, 0, requirements_.spreads()[static_cast<size_t>(asked.spread)], outside);
    return requirements_.holds(asked, *asked.form, living(all, 0, outside), cells_, part_);
}

// Whether the fallen records hold everything as a class: alone, and where classes that hold may not
// hold together, with the records that show the same cells.
bool Suppression::fallen_hold(const Fallen& fallen) {
    const auto& all = requirements_.asked();
    for (size_t r = 0; r < all.size(); ++r) {
        if (!holds_as_class(r, fallen.items)) return false;
        const View& view = views_[static_cast<size_t>(all[r].view)];
        if (all[r].form->unites() || view.root < 0) continue;
        std::vector<uint8_t> shown = fallen.items;
        for (size_t item = 0; item < shown.size(); ++item)
            shown[item] |= view.class_of[item] == view.root;
        if (!holds_as_class(r, shown)) return false;
    }
    return true;
}

Suppression::Forms Suppression::referring_to_rest(const Fallen& fallen) const {
    std::vector<int64_t> by_kind(requirements_.kinds(), 0);
    for (size_t item = 0; item < fallen.items.size(); ++item)
        if (!fallen.items[item])
            by_kind[static_cast<size_t>(items_.kind[item])] += items_.records[item];
    Forms forms;
    for (const Asked& asked : requirements_.asked()) {
        forms.push_back(asked.form->copy());
        if (asked.spread == kNoSpread) continue;
        const Spread& spread = requirements_.spreads()[static_cast<size_t>(asked.spread)];
        forms.back()->refer_to(requirements_.reference(spread, by_kind));
    }
    return forms;
}

Fallen Suppression::run(int64_t limit, std::span<const uint8_t> already) {
    Fallen fallen;
    fallen.items.assign(already.begin(), already.end());
    fallen.items.resize(items_.records.size(), 0);
    for (size_t item = 0; item < fallen.items.size(); ++item)
        fallen.records += fallen.items[item] ? items_.records[item] : 0;
    for (auto& dirty : dirty_) std::ranges::fill(dirty, 1);
    const Chosen everything(requirements_.asked().size(), 1);
    while (round(nullptr, everything, limit, fallen)) {
    }
    if (fallen.records == 0 || fallen.records > limit) return fallen;
    fallen.dropped = !masks_ || !fallen_hold(fallen);
    const bool refers = std::ranges::any_of(requirements_.asked(),
                                            [](const Asked& each) { return each.form->refers(); });
    if (!fallen.dropped || !refers) return fallen;
    do {
        for (auto& dirty : dirty_) std::ranges::fill(dirty, 1);
        const Forms forms = referring_to_rest(fallen);
        if (!round(&forms, everything, limit, fallen)) break;
    } while (true);
    return fallen;
}

std::vector<uint8_t> Suppression::violating() {
    const std::vector<uint8_t> nobody(items_.records.size(), 0);
    std::vector<uint8_t> found(static_cast<size_t>(views_[0].classes), 0);
    for (size_t r = 0; r < requirements_.asked().size(); ++r)
        each_violating(r, *requirements_.asked()[r].form, nobody, dirty_[0],
                       [&](size_t at, int64_t, int64_t, Cells) { found[at] = 1; });
    return found;
}

// What falls for the requirements that no part of a failing class meets falls at every
// specialisation; where a part of it is known apart, that is so of this part alone.  Of what is
// left of a class that fails another one, those kept at a specialisation are a union of classes
// that hold, and hold together: all others fall there.
void Suppression::find_certain(int64_t limit, Fallen& fallen) {
    const auto& all = requirements_.asked();
    Fallen sure;
    sure.items.assign(items_.records.size(), 0);
    Chosen chosen(all.size(), 0);
    for (size_t r = 0; r < all.size(); ++r) chosen[r] = all[r].form->falls_apart();
    for (auto& dirty : dirty_) std::ranges::fill(dirty, 1);
    while (round(nullptr, chosen, limit, sure, Falls::known_parts)) {
    }
    fallen.certain = sure.records;
    fallen.certain_items = std::move(sure.items);
    if (fallen.certain > limit) return;
    int64_t most = 0;
    for (size_t r = 0; r < all.size(); ++r) {
        if (chosen[r] || !all[r].form->unites()) continue;
        int64_t falls = 0;
        const std::vector<uint8_t> every(dirty_[static_cast<size_t>(all[r].view)].size(), 1);
        each_violating(r, *all[r].form, fallen.certain_items, every,
                       [&](size_t, int64_t, int64_t records, Cells cells) {
                           falls += records - all[r].form->largest_part(records, cells, limit);
                       });
        most = std::max(most, falls);
    }
    fallen.certain += most;
}
}  // namespace incrowd
