#include "lattice/packing.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd {
std::vector<Pack> packed(const std::vector<LatticeColumn>& columns, int64_t most) {
    std::vector<size_t> order(columns.size());
    std::iota(order.begin(), order.end(), 0);
    // Largest domains first: small ones fill the gaps.
    std::ranges::stable_sort(
        order, [&](size_t a, size_t b) { return columns[a].codes > columns[b].codes; });
    std::vector<Pack> packs;
    for (size_t j : order) {
        auto fits = std::ranges::find_if(
            packs, [&](const Pack& pack) { return pack.codes <= most / columns[j].codes; });
        if (fits == packs.end()) fits = packs.insert(packs.end(), Pack{});
        fits->columns.push_back(j);
        fits->codes *= columns[j].codes;
    }
    return packs;
}

std::vector<uint32_t> pack_codes(const Pack& pack, const std::vector<LatticeColumn>& columns,
                                 std::span<const int32_t> codes, size_t m) {
    std::vector<uint32_t> packed_codes(m, 0);
    uint32_t* packed = packed_codes.data();
    for (size_t j : pack.columns) {
        const auto size = static_cast<uint32_t>(columns[j].codes);
        const int32_t* column = codes.data() + j * m;
        for (size_t i = 0; i < m; ++i)
            packed[i] = packed[i] * size + static_cast<uint32_t>(column[i]);
    }
    return packed_codes;
}

uint64_t pack_size(const Pack& pack, const std::vector<LatticeColumn>& columns,
                   const Levels& levels) {
    uint64_t size = 1;
    for (size_t j : pack.columns) size *= static_cast<uint64_t>(columns[j].sizes[levels[j]]);
    return size;
}

const std::vector<uint32_t>& pack_keys(Pack& pack, const std::vector<LatticeColumn>& columns,
                                       const Levels& levels) {
    Levels combination;
    for (size_t j : pack.columns) combination.push_back(levels[j]);
    auto [found, is_new] = pack.keys.try_emplace(std::move(combination));
    if (!is_new) return found->second;
    std::vector<uint32_t> keys{0};
    for (size_t j : pack.columns) {
        const auto& node = columns[j].node[levels[j]];
        const auto size = static_cast<uint32_t>(columns[j].sizes[levels[j]]);
        std::vector<uint32_t> longer;
        longer.reserve(keys.size() * node.size());
        for (uint32_t key : keys)
            for (int32_t value : node) longer.push_back(key * size + static_cast<uint32_t>(value));
        keys = std::move(longer);
    }
    found->second = std::move(keys);
    return found->second;
}
}  // namespace incrowd
