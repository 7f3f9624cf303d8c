// The tuples that peeling has not released yet: what they cost at each level, and the classes that
// they form at a node.
#pragma once

#include <numeric>
#include <vector>

#include "clustering/gain_split.hpp"
#include "core/key_numbering.hpp"
#include "lattice/packing.hpp"

namespace incrowd {
class LeftTuples {
  public:
    LeftTuples(const FixedTable& table, const std::vector<LatticeColumn>& levels)
        : table_(table), levels_(levels), packs_(packed(levels, kPackCodes)) {}

    // `region` has one share per tuple, in their order.
    void leave(Region region) {
        region_ = std::move(region);
        records_ = 0;
        for (const Share& share : region_) records_ += share.records;
        pack();
        add_up_costs();
    }

    const Region& region() const { return region_; }
    int64_t records() const { return records_; }
    // What all of them cost in a column at a level.
    int64_t cost(size_t j, int level) const { return cost_[j][static_cast<size_t>(level)]; }

    // Numbers the classes at a node: afterwards `sizes` has their records, and `class_at` the class
    // of each share.
    void classify(const Levels& node) {
        const size_t n = region_.size();
        uint64_t space = 1;
        keys_.assign(n, 0);
        class_of_.resize(n);
        for (size_t p = 0; p < packs_.size(); ++p) {
            const uint64_t size = pack_size(packs_[p], levels_, node);
            if (size == 1) continue;
            if (space > (kKeyLimit - 1) / size) {  // the classes so far are the next digit
                numbering_.number(keys_.data(), n, space, class_of_.data());
                for (size_t i = 0; i < n; ++i) keys_[i] = static_cast<uint64_t>(class_of_[i]);
                space = n;
            }
            const uint32_t* keys = pack_keys(packs_[p], levels_, node).data();
            for (size_t i = 0; i < n; ++i) keys_[i] += space * keys[codes_[p * n + i]];
            space *= size;
        }
        const int32_t classes = numbering_.number(keys_.data(), n, space, class_of_.data());
        sizes_.assign(static_cast<size_t>(classes), 0);
        for (size_t i = 0; i < n; ++i) sizes_[class_of_[i]] += region_[i].records;
    }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    int32_t class_at(size_t i) const { return class_of_[i]; }

  private:
    static constexpr int64_t kPackCodes = 8192;  // a look-up table stays in the first-level cache

    void pack() {
        const size_t n = region_.size();
        codes_.assign(packs_.size() * n, 0);
        for (size_t p = 0; p < packs_.size(); ++p)
            for (const size_t j : packs_[p].columns)
                for (size_t i = 0; i < n; ++i)
                    codes_[p * n + i] =
                        codes_[p * n + i] * static_cast<uint32_t>(levels_[j].codes) +
                        static_cast<uint32_t>(table_.row(region_[i].tuple)[j]);
    }

    void add_up_costs() {
        cost_.clear();
        for (size_t j = 0; j < levels_.size(); ++j) {
            std::vector<int64_t> by_code(static_cast<size_t>(levels_[j].codes), 0), sums;
            for (const Share& share : region_) by_code[table_.row(share.tuple)[j]] += share.records;
            for (const std::vector<int64_t>& each : levels_[j].excess)
                sums.push_back(
                    std::inner_product(each.begin(), each.end(), by_code.begin(), int64_t{0}));
            cost_.push_back(std::move(sums));
        }
    }

    const FixedTable& table_;
    const std::vector<LatticeColumn>& levels_;
    std::vector<Pack> packs_;
    Region region_;
    int64_t records_ = 0;
    std::vector<uint32_t> codes_;             // by pack and share
    std::vector<std::vector<int64_t>> cost_;  // by column and level
    // Of the node that was counted last.
    std::vector<uint64_t> keys_;
    std::vector<int32_t> class_of_;
    std::vector<int64_t> sizes_;
    KeyNumbering numbering_;
};
}  // namespace incrowd
