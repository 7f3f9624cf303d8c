#include "requirements/requirements.hpp"

#include <algorithm>
#include <numeric>

#include "requirements/diversity.hpp"

namespace incrowd {
void gather(std::vector<Kinds>& cells) {
    std::ranges::sort(cells, {}, &Kinds::key);
    size_t kept = 0;
    for (size_t at = 1; at < cells.size(); ++at)
        if (cells[at].key == cells[kept].key) cells[kept].records += cells[at].records;
        else cells[++kept] = cells[at];
    if (!cells.empty()) cells.resize(kept + 1);
}

Requirements::Requirements(const Table& table, std::vector<int32_t> kind,
                           std::vector<int64_t> of_kind)
    : table_(table), kind_(std::move(kind)), by_kind_(std::move(of_kind)),
      records_(std::accumulate(by_kind_.begin(), by_kind_.end(), int64_t{0})) {}

int32_t Requirements::add_spread(Spread spread) {
    spreads_.push_back(std::move(spread));
    return static_cast<int32_t>(spreads_.size()) - 1;
}

void Requirements::add(std::unique_ptr<Form> form, std::vector<uint8_t> covers, int32_t spread) {
    auto view = std::ranges::find(views_, covers);
    const auto number = static_cast<int32_t>(view - views_.begin());
    if (view == views_.end()) views_.push_back(std::move(covers));
    if (spread != kNoSpread)
        form->refer_to(reference(spreads_[static_cast<size_t>(spread)], by_kind_));
    if (const auto* size = dynamic_cast<const MinimumSize*>(form.get()))
        least_size_ = std::max(least_size_, size->least());
    asked_.push_back({std::move(form), number, spread});
}

bool Requirements::holds(const Asked& asked, const Form& form, int64_t records,
                         std::span<const Kinds> cells, std::vector<Cell>& part) const {
    if (asked.spread == kNoSpread) return form.holds(records, {});
    return each_part(spreads_[static_cast<size_t>(asked.spread)], cells, part,
                     [&](Cells own, int64_t size, int64_t) { return form.holds(size, own); });
}

std::vector<int64_t> Requirements::reference(const Spread& spread,
                                             std::span<const int64_t> by_kind) const {
    std::vector<int64_t> found(static_cast<size_t>(spread.values), 0);
    for (size_t kind = 0; kind < by_kind.size(); ++kind)
        found[static_cast<size_t>(spread.value[kind])] += by_kind[kind];
    return found;
}
}  // namespace incrowd
