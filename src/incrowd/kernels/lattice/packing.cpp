#include "lattice/packing.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd {

std::vector<Pack> packed(const std::vector<LatticeColumn>& columns, std::int64_t most) {
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), 0);
    // Largest domains first: small ones fill the gaps.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return columns[a].codes > columns[b].codes;
    });
    std::vector<Pack> packs;
    for (std::size_t j : order) {
        auto fits = std::find_if(packs.begin(), packs.end(), [&](const Pack& pack) {
            return pack.codes <= most / columns[j].codes;
        });
        if (fits == packs.end()) fits = packs.insert(packs.end(), Pack{});
        fits->columns.push_back(j);
        fits->codes *= columns[j].codes;
    }
    return packs;
}

std::int64_t pack_code(const Pack& pack, const std::vector<LatticeColumn>& columns,
                       const std::vector<std::int32_t>& codes, std::size_t m, std::size_t tuple) {
    std::int64_t code = 0;
    for (std::size_t j : pack.columns) code = code * columns[j].codes + codes[j * m + tuple];
    return code;
}

std::uint64_t pack_size(const Pack& pack, const std::vector<LatticeColumn>& columns,
                        const Levels& levels) {
    std::uint64_t size = 1;
    for (std::size_t j : pack.columns)
        size *= static_cast<std::uint64_t>(columns[j].sizes[levels[j]]);
    return size;
}

const std::vector<std::uint32_t>& pack_keys(Pack& pack, const std::vector<LatticeColumn>& columns,
                                            const Levels& levels) {
    Levels combination;
    for (std::size_t j : pack.columns) combination.push_back(levels[j]);
    auto [found, is_new] = pack.keys.try_emplace(std::move(combination));
    if (!is_new) return found->second;
    std::vector<std::uint32_t> keys{0};
    for (std::size_t j : pack.columns) {
        const auto& node = columns[j].node[levels[j]];
        const auto size = static_cast<std::uint32_t>(columns[j].sizes[levels[j]]);
        std::vector<std::uint32_t> longer;
        longer.reserve(keys.size() * node.size());
        for (std::uint32_t key : keys)
            for (std::int32_t value : node)
                longer.push_back(key * size + static_cast<std::uint32_t>(value));
        keys = std::move(longer);
    }
    found->second = std::move(keys);
    return found->second;
}

}  // namespace incrowd
