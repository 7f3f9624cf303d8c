#include "requirements/class_state.hpp"

#include <algorithm>

namespace incrowd {
namespace {
std::vector<Kinds> merged(std::span<const Kinds> one, std::span<const Kinds> other) {
    std::vector<Kinds> found;
    found.reserve(one.size() + other.size());
    auto a = one.begin(), b = other.begin();
    while (a != one.end() && b != other.end()) {
        if (a->key < b->key) found.push_back(*a++);
        else if (b->key < a->key) found.push_back(*b++);
        else {
            found.push_back({a->key, a->records + b->records});
            ++a, ++b;
        }
    }
    found.insert(found.end(), a, one.end());
    found.insert(found.end(), b, other.end());
    return found;
}
}  // namespace

ClassState::ClassState(const Requirements& requirements, std::span<const Share> shares) {
    for (const Share& share : shares) records_ += share.records;
    for (const Spread& spread : requirements.spreads()) {
        std::vector<Kinds>& cells = cells_.emplace_back();
        cells.reserve(shares.size());
        for (const Share& share : shares) {
            const int32_t kind = requirements.kind()[static_cast<size_t>(share.tuple)];
            cells.push_back({spread.key(kind), share.records});
        }
        gather(cells);
    }
}

void ClassState::add(const Requirements& requirements, int32_t kind, int64_t records) {
    const std::vector<Spread>& spreads = requirements.spreads();
    cells_.resize(spreads.size());
    records_ += records;
    for (size_t s = 0; s < spreads.size(); ++s) {
        const int64_t key = spreads[s].key(kind);
        const auto at = std::ranges::lower_bound(cells_[s], key, {}, &Kinds::key);
        if (at == cells_[s].end() || at->key != key) cells_[s].insert(at, {key, records});
        else if ((at->records += records) == 0) cells_[s].erase(at);
    }
}

void ClassState::merge(const ClassState& other) {
    records_ += other.records_;
    cells_.resize(std::max(cells_.size(), other.cells_.size()));
    for (size_t s = 0; s < other.cells_.size(); ++s) cells_[s] = merged(cells_[s], other.cells_[s]);
}

bool ClassState::holds(const Requirements& requirements, std::vector<Cell>& part) const {
    return std::ranges::all_of(requirements.asked(), [&](const Asked& asked) {
        const std::span<const Kinds> cells = asked.spread == kNoSpread
                                                 ? std::span<const Kinds>()
                                                 : cells_[static_cast<size_t>(asked.spread)];
        return requirements.holds(asked, *asked.form, records_, cells, part);
    });
}
}  // namespace incrowd
