// What a search over cuts may decide, one by one: an item makes some splits between neighbouring
// places of one column.  A value of a row has one item before it; the opening of a node is one item
// for all the splits between its children, and asks that the node above it is open.
#pragma once

#include <vector>

#include "core/integers.hpp"
#include "subtree/cut_counting.hpp"

namespace incrowd {
struct SplitItem {
    int32_t column, parent;       // the item that must be made before it, or -1
    int32_t low, high;            // the places that it may tell apart
    std::vector<int32_t> places;  // the first after each of its splits, ascending
};

class SplitItems {
  public:
    // `item_of` says by column and place, but the first one, which item makes the split before it,
    // or -1 if none does; `parent` by item, or -1.  Parents have smaller numbers, and the splits of
    // an item lie between two neighbouring ones of its parent.
    SplitItems(const CutTable& table, std::span<const int32_t> item_of,
               std::span<const int32_t> parent);

    size_t size() const { return items_.size(); }
    const SplitItem& operator[](int32_t item) const { return items_[item]; }
    // By place of a column: the item of the split before it, or -1.
    const std::vector<int32_t>& before(size_t column) const { return before_[column]; }
    // Whether some item of the column has several splits or asks for another one.
    bool nested(size_t column) const { return nested_[column]; }
    const std::vector<int32_t>& of_column(size_t column) const { return in_[column]; }
    bool has_children(int32_t item) const { return has_children_[item]; }

  private:
    void read_splits(const CutTable& table, std::span<const int32_t> item_of);
    void set_range(const CutTable& table, SplitItem& item) const;

    std::vector<SplitItem> items_;
    std::vector<std::vector<int32_t>> before_, in_;
    std::vector<uint8_t> nested_, has_children_;
};
}  // namespace incrowd
