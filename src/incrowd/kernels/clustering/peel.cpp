#include "clustering/peel.hpp"

#include <algorithm>
#include <numeric>

#include "core/key_numbering.hpp"
#include "lattice/packing.hpp"

namespace incrowd {
namespace {
constexpr int64_t kPackCodes = 8192;  // a look-up table stays in the first-level cache

// Whether no column of `a` stands higher than in `b`.
bool is_below(const Levels& a, const Levels& b) {
    return std::ranges::equal(a, b, [](uint8_t x, uint8_t y) { return x <= y; });
}

class Peel {
  public:
    Peel(const FixedTable& table, const std::vector<int64_t>& records,
         std::vector<LatticeColumn> columns, const Peeling& how, const Verdict& verdict,
         Meter& meter)
        : table_(table), records_(records), columns_(std::move(columns)), how_(how),
          verdict_(verdict), meter_(meter), packs_(packed(columns_, kPackCodes)),
          keys_(records.size()), class_of_(records.size()), left_(records.size()) {
        std::iota(left_.begin(), left_.end(), 0);
        for (const LatticeColumn& column : columns_) top_.push_back(column.height());
        code_left();
    }

    std::vector<Region> run() {
        while (left_records_ > 0 && counted_ < how_.most && release_cheapest()) {
        }
        if (left_records_ > 0) {
            released_.emplace_back();
            for (const int32_t tuple : left_) add(released_.back(), tuple);
        }
        return std::move(released_);
    }

  private:
    void add(Region& region, int32_t tuple) const { region.push_back({tuple, records_[tuple]}); }

    // Packs the tuples that are left, and adds up what they cost by column and level.
    void code_left() {
        const size_t d = columns_.size(), n = left_.size();
        codes_.assign(packs_.size() * n, 0);
        for (size_t p = 0; p < packs_.size(); ++p)
            for (const size_t j : packs_[p].columns)
                for (size_t i = 0; i < n; ++i) {
                    uint32_t& code = codes_[p * n + i];
                    code = code * static_cast<uint32_t>(columns_[j].codes) +
                           static_cast<uint32_t>(table_.row(left_[i])[j]);
                }
        cost_.assign(d, {});
        left_records_ = 0;
        for (const int32_t tuple : left_) left_records_ += records_[tuple];
        for (size_t j = 0; j < d; ++j) {
            std::vector<int64_t> of_code(static_cast<size_t>(columns_[j].codes), 0);
            for (const int32_t tuple : left_) of_code[table_.row(tuple)[j]] += records_[tuple];
            for (const std::vector<int64_t>& each : columns_[j].excess)
                cost_[j].push_back(std::inner_product(each.begin(), each.end(), of_code.begin(),
                                                      int64_t{0}));
        }
    }

    int64_t cost(const Levels& node) const {
        int64_t sum = 0;
        for (size_t j = 0; j < node.size(); ++j) sum += cost_[j][node[j]];
        return sum;
    }

    // Numbers the classes of what is left at a node: class_of_ and sizes_.
    void classify(const Levels& node) {
        const size_t n = left_.size();
        uint64_t space = 1;
        std::fill_n(keys_.begin(), n, 0);
        for (size_t p = 0; p < packs_.size(); ++p) {
            const uint64_t size = pack_size(packs_[p], columns_, node);
            if (size == 1) continue;
            if (space > (kKeyLimit - 1) / size) {  // the classes so far are the next digit
                numbering_.number(keys_.data(), n, space, class_of_.data());
                for (size_t i = 0; i < n; ++i) keys_[i] = static_cast<uint64_t>(class_of_[i]);
                space = n;
            }
            const uint32_t* keys = pack_keys(packs_[p], columns_, node).data();
            const uint32_t* codes = codes_.data() + p * n;
            for (size_t i = 0; i < n; ++i) keys_[i] += space * keys[codes[i]];
            space *= size;
        }
        sizes_.assign(static_cast<size_t>(numbering_.number(keys_.data(), n, space,
                                                            class_of_.data())), 0);
        for (size_t i = 0; i < n; ++i) sizes_[class_of_[i]] += records_[left_[i]];
    }

    // The safe classes of a node as it was counted last.
    std::vector<Region> safe_classes() {
        std::vector<int32_t> number(sizes_.size(), -1);
        std::vector<Region> classes;
        for (size_t i = 0; i < left_.size(); ++i) {
            const auto c = static_cast<size_t>(class_of_[i]);
            if (sizes_[c] < table_.k) continue;
            if (number[c] < 0) {
                number[c] = static_cast<int32_t>(classes.size());
                classes.emplace_back();
            }
            add(classes[static_cast<size_t>(number[c])], left_[i]);
        }
        if (!verdict_) return classes;
        const std::vector<bool> allowed = verdict_(classes);
        size_t kept = 0;
        for (size_t at = 0; at < classes.size(); ++at)
            if (allowed[at]) classes[kept++] = std::move(classes[at]);
        classes.resize(kept);
        return classes;
    }

    // Whether a node makes enough records safe.
    bool enough(const Levels& node) {
        for (const std::vector<Levels>* known : {&failed_, &failed_now_})
            for (const Levels& each : *known)
                if (is_below(node, each)) return false;
        if (counted_ >= how_.most) return false;
        ++counted_;
        meter_.advance(0);
        classify(node);
        const int64_t wanted = std::min(how_.least, left_records_);
        int64_t safe = 0;
        for (const int64_t size : sizes_) safe += size >= table_.k ? size : 0;
        bool for_good = safe < wanted;
        if (!for_good && verdict_) {
            safe = 0;
            for (const Region& each : safe_classes())
                for (const Share& share : each) safe += share.records;
            for_good = how_.parts_fail;
        }
        if (safe >= wanted) return true;
        if (for_good) {
            std::erase_if(failed_, [&](const Levels& each) { return is_below(each, node); });
            failed_.push_back(node);
        }
        return false;
    }

    // Lowers one column after the other, that which saves most first.
    bool descend(Levels& node) {
        std::vector<std::pair<int64_t, size_t>> saving;
        bool moved = false;
        for (bool again = true; again;) {
            again = false;
            saving.clear();
            for (size_t j = 0; j < node.size(); ++j)
                if (node[j] > 0)
                    saving.emplace_back(cost_[j][node[j] - 1] - cost_[j][node[j]], j);
            std::ranges::sort(saving);
            for (const auto& [_, j] : saving) {
                --node[j];
                if (enough(node)) {
                    again = moved = true;
                    break;
                }
                ++node[j];
            }
        }
        return moved;
    }

    // Raises one column to lower another.
    bool exchange(Levels& node) {
        std::vector<std::pair<int64_t, Levels>> others;
        const int64_t now = cost(node);
        for (size_t up = 0; up < node.size(); ++up)
            for (size_t down = 0; down < node.size(); ++down) {
                if (up == down || node[up] == top_[up] || node[down] == 0) continue;
                for (int lower = 1; lower <= node[down]; ++lower) {
                Levels other = node;
                ++other[up];
                other[down] -= lower;
                if (cost(other) < now) others.emplace_back(cost(other), std::move(other));
                }
            }
        std::ranges::sort(others);
        for (auto& [_, other] : others)
            if (enough(other)) {
                node = std::move(other);
                return true;
            }
        return false;
    }

    bool release_cheapest() {
        failed_now_.clear();
        Levels node = top_;
        if (!enough(node)) return false;
        descend(node);
        while (exchange(node)) descend(node);
        classify(node);
        return release(safe_classes());
    }

    // Never leaves a rest smaller than k: the last classes stay with it.
    bool release(std::vector<Region> classes) {
        const auto records_of = [&](const Region& region) {
            int64_t sum = 0;
            for (const Share& share : region) sum += share.records;
            return sum;
        };
        int64_t rest = left_records_;
        for (const Region& each : classes) rest -= records_of(each);
        while (rest > 0 && rest < table_.k && !classes.empty()) {
            rest += records_of(classes.back());
            classes.pop_back();
        }
        if (classes.empty()) return false;
        std::vector<uint8_t> gone(records_.size(), 0);
        for (Region& each : classes) {
            for (const Share& share : each) gone[share.tuple] = 1;
            released_.push_back(std::move(each));
        }
        std::erase_if(left_, [&](int32_t tuple) { return gone[tuple]; });
        code_left();
        return true;
    }

    const FixedTable& table_;
    const std::vector<int64_t>& records_;
    std::vector<LatticeColumn> columns_;
    const Peeling& how_;
    const Verdict& verdict_;
    Meter& meter_;
    std::vector<Pack> packs_;
    Levels top_;
    int64_t counted_ = 0;
    std::vector<Levels> failed_, failed_now_;  // nodes that fail with all below: for good, for now
    std::vector<Region> released_;
    // Of the node at hand.
    std::vector<uint64_t> keys_;
    std::vector<int32_t> class_of_;
    std::vector<int64_t> sizes_;
    KeyNumbering numbering_;
    // What is left: its tuples, packed; its records, and their cost by column and level.
    std::vector<int32_t> left_;
    std::vector<uint32_t> codes_;
    int64_t left_records_ = 0;
    std::vector<std::vector<int64_t>> cost_;
};
}  // namespace

std::vector<Region> peel(const FixedTable& table, const std::vector<int64_t>& records,
                         std::vector<LatticeColumn> columns, const Peeling& how,
                         const ClassRules& rules, Meter& meter) {
    const Verdict verdict = verdict_of(rules);
    return Peel(table, records, std::move(columns), how, verdict, meter).run();
}
}  // namespace incrowd
