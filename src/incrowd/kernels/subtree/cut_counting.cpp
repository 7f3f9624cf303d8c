#include "subtree/cut_counting.hpp"

#include <algorithm>

namespace incrowd {
namespace {
constexpr uint64_t kPackCodes = 2048;  // the key of each code is worked out for every count
}  // namespace

Cuts::Cuts(const CutTable& table) : parts(table.columns(), 1) {
    for (int32_t size : table.sizes) part.emplace_back(size, 0);
}

CutCounter::CutCounter(const CutTable& table, const std::vector<size_t>& columns) : table_(table) {
    for (size_t j : columns) {
        const auto size = static_cast<uint64_t>(table.sizes[j]);
        if (packs_.empty() || packs_.back().codes > kPackCodes / size) packs_.emplace_back();
        packs_.back().columns.push_back(j);
        packs_.back().codes *= size;
    }
    for (Pack& pack : packs_) {
        pack.code.assign(table.tuples, 0);
        for (size_t j : pack.columns)
            for (size_t i = 0; i < table.tuples; ++i)
                pack.code[i] = pack.code[i] * static_cast<uint32_t>(table.sizes[j]) +
                               static_cast<uint32_t>(table.column(j)[i]);
    }
}

void CutCounter::refresh(Pack& pack, const Cuts& cuts) const {
    pack.key.assign(pack.codes, 0);
    pack.keys = 1;
    size_t made = 1;
    for (size_t j : pack.columns) {
        const auto& part = cuts.part[j];
        const auto parts = static_cast<uint64_t>(cuts.parts[j]);
        for (size_t at = made; at-- > 0;)  // backwards: the row grows in place
            for (size_t place = part.size(); place-- > 0;)
                pack.key[at * part.size() + place] =
                    pack.key[at] * parts + static_cast<uint64_t>(part[place]);
        made *= part.size();
        pack.keys *= parts;
    }
}

int32_t CutCounter::number(const Cuts& cuts, std::span<const int32_t> tuples,
                           std::vector<int32_t>& class_of) {
    const size_t n = tuples.size();
    class_of.resize(n);
    keys_.assign(n, 0);
    uint64_t space = 1;
    for (Pack& pack : packs_) {
        refresh(pack, cuts);
        if (pack.keys > (kKeyLimit - 1) / space) {  // number what there is, and go on from there
            space = std::max(1, numbering_.number(keys_.data(), n, space, class_of.data()));
            for (size_t i = 0; i < n; ++i) keys_[i] = static_cast<uint64_t>(class_of[i]);
        }
        const uint32_t* code = pack.code.data();
        for (size_t i = 0; i < n; ++i) keys_[i] = keys_[i] * pack.keys + pack.key[code[tuples[i]]];
        space *= pack.keys;
    }
    return numbering_.number(keys_.data(), n, space, class_of.data());
}

int64_t SmallClasses::run(std::span<const int64_t> records,
                          const std::vector<std::vector<int32_t>>& class_of,
                          const std::vector<int32_t>& classes, std::vector<uint8_t>& fallen) {
    fallen.assign(records.size(), 0);
    int64_t fell = 0;
    size_t settled = 0;
    for (size_t r = 0; settled < class_of.size(); r = (r + 1) % class_of.size()) {
        const int32_t* of = class_of[r].data();
        size_.assign(classes[r], 0);
        for (size_t i = 0; i < records.size(); ++i)
            if (!fallen[i]) size_[of[i]] += records[i];
        const int64_t before = fell;
        for (size_t i = 0; i < records.size(); ++i)
            if (!fallen[i] && size_[of[i]] < table_.demands[r].size) {
                fallen[i] = 1;
                fell += records[i];
            }
        settled = fell > before ? 1 : settled + 1;
    }
    return fell;
}
}  // namespace incrowd
