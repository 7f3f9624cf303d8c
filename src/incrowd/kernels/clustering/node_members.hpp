// The items under each node of each column, one bit each; made when first asked for.
#pragma once

#include <vector>

#include "clustering/local_search_classes.hpp"
#include "lattice/column.hpp"

namespace incrowd {
using ItemBits = std::vector<uint64_t>;

inline bool has_item(const ItemBits& bits, int32_t item) {
    return bits[item / 64] >> (item % 64) & 1;
}

class NodeMembers {
  public:
    NodeMembers(const std::vector<LatticeColumn>& levels, EditableClasses& classes)
        : levels_(levels), classes_(classes) {
        for (const LatticeColumn& column : levels_) {
            std::vector<size_t> starts;
            for (const int64_t size : column.sizes) {
                starts.push_back(members_.size());
                members_.resize(members_.size() + static_cast<size_t>(size));
            }
            starts_.push_back(std::move(starts));
        }
    }

    // Those that are under the nodes of `row` at some levels in every column.
    void select(const Levels& shape, const int32_t* row, ItemBits& inside) {
        inside.assign((classes_.n_items() + 63) / 64, ~uint64_t{0});
        if (classes_.n_items() % 64) inside.back() >>= 64 - classes_.n_items() % 64;
        for (size_t j = 0; j < shape.size(); ++j) {
            if (levels_[j].sizes[shape[j]] == 1) continue;
            const uint64_t* bits = under(j, shape[j], row[j]).data();
            for (size_t word = 0; word < inside.size(); ++word) inside[word] &= bits[word];
        }
        classes_.spend(inside.size() * shape.size() / 2);
    }

  private:
    const ItemBits& under(size_t j, uint8_t level, int32_t code) {
        const std::vector<int32_t>& node_of = levels_[j].node[level];
        ItemBits& bits = members_[starts_[j][level] + static_cast<size_t>(node_of[code])];
        if (!bits.empty()) return bits;
        const size_t n = classes_.n_items();
        bits.assign((n + 63) / 64, 0);
        for (size_t item = 0; item < n; ++item) {
            const int32_t other = classes_.codes(static_cast<int32_t>(item))[j];
            bits[item / 64] |= uint64_t{node_of[other] == node_of[code]} << (item % 64);
        }
        classes_.spend(n);
        return bits;
    }

    const std::vector<LatticeColumn>& levels_;
    EditableClasses& classes_;
    std::vector<std::vector<size_t>> starts_;  // by column and level
    std::vector<ItemBits> members_;
};
}  // namespace incrowd
