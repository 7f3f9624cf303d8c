#include "subtree/k_optimize_items.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace incrowd {
namespace {
[[noreturn]] void refuse(const char* what) {
    throw std::invalid_argument(std::string("items: ") + what);
}
}  // namespace

SplitItems::SplitItems(const CutTable& table, std::span<const int32_t> item_of,
                       std::span<const int32_t> parent)
    : items_(parent.size()), in_(table.columns()), nested_(table.columns(), 0),
      has_children_(parent.size(), 0) {
    for (size_t at = 0; at < items_.size(); ++at) {
        items_[at].column = -1;
        items_[at].parent = parent[at];
        if (items_[at].parent < -1 || items_[at].parent >= static_cast<int32_t>(at))
            refuse("a parent is out of range");
    }
    read_splits(table, item_of);
    for (size_t at = 0; at < items_.size(); ++at) {
        SplitItem& item = items_[at];
        if (item.column < 0) refuse("one makes no split");
        set_range(table, item);
        in_[item.column].push_back(static_cast<int32_t>(at));
        if (item.parent >= 0) has_children_[item.parent] = 1;
        if (item.parent >= 0 || item.places.size() > 1) nested_[item.column] = 1;
    }
}

void SplitItems::read_splits(const CutTable& table, std::span<const int32_t> item_of) {
    size_t at = 0;
    for (size_t j = 0; j < table.columns(); ++j) {
        before_.emplace_back(table.sizes[j], -1);
        for (int32_t place = 1; place < table.sizes[j]; ++place, ++at) {
            if (at >= item_of.size()) refuse("one number per split is needed");
            const int32_t number = item_of[at];
            if (number < -1 || number >= static_cast<int32_t>(items_.size()))
                refuse("a number is out of range");
            before_[j][place] = number;
            if (number < 0) continue;
            SplitItem& item = items_[number];
            if (item.column >= 0 && item.column != static_cast<int32_t>(j))
                refuse("one makes splits in several columns");
            item.column = static_cast<int32_t>(j);
            item.places.push_back(place);
        }
    }
    if (at != item_of.size()) refuse("one number per split is needed");
}

// An item without a parent may tell all places of its column apart, another one those between the
// two splits of its parent that it lies between.
void SplitItems::set_range(const CutTable& table, SplitItem& item) const {
    item.low = 0;
    item.high = table.sizes[item.column];
    if (item.parent < 0) return;
    const SplitItem& above = items_[item.parent];
    const auto after =
        std::upper_bound(above.places.begin(), above.places.end(), item.places.front());
    item.low = after == above.places.begin() ? above.low : *(after - 1);
    item.high = after == above.places.end() ? above.high : *after;
    if (above.column != item.column || item.places.front() <= above.low ||
        item.places.back() >= item.high)
        refuse("one does not lie between two splits of its parent");
}
}  // namespace incrowd
