#include "lattice/chunk.hpp"

#include <limits>
#include <utility>

namespace incrowd {
namespace {
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
}  // namespace

Chunk::Chunk(Pack pack, const std::vector<LatticeColumn>& columns, std::span<const int32_t> codes,
             size_t m)
    : pack_(std::move(pack)), of_tuple_(pack_codes(pack_, columns, codes, m)),
      leaf_(pack_.columns.size()) {
    std::vector<uint32_t> number(static_cast<size_t>(pack_.codes), kNone);
    uint32_t combinations = 0;
    for (size_t i = 0; i < m; ++i) {
        uint32_t& own = number[of_tuple_[i]];
        if (own == kNone) {
            own = combinations++;
            for (size_t c = 0; c < leaf_.size(); ++c)
                leaf_[c].push_back(codes[pack_.columns[c] * m + i]);
        }
        of_tuple_[i] = own;
    }
}

const ChunkKeys& Chunk::keys(const std::vector<LatticeColumn>& columns, const Levels& levels) {
    Levels own;
    for (const size_t j : pack_.columns) own.push_back(levels[j]);
    auto [found, is_new] = kept_.try_emplace(std::move(own));
    if (is_new) found->second = made(columns, levels);
    return found->second;
}

ChunkKeys Chunk::made(const std::vector<LatticeColumn>& columns, const Levels& levels) const {
    ChunkKeys keys{std::vector<uint32_t>(leaf_.front().size(), 0), 0};
    size_t space = 1;
    for (size_t c = 0; c < leaf_.size(); ++c) {
        const LatticeColumn& column = columns[pack_.columns[c]];
        const std::vector<int32_t>& node = column.node[levels[pack_.columns[c]]];
        const auto size = static_cast<uint32_t>(column.sizes[levels[pack_.columns[c]]]);
        if (size == 1) continue;
        for (size_t i = 0; i < keys.key.size(); ++i)
            keys.key[i] = keys.key[i] * size + static_cast<uint32_t>(node[leaf_[c][i]]);
        space *= size;
    }
    std::vector<uint32_t> number(space, kNone);
    for (uint32_t& key : keys.key) {
        if (number[key] == kNone) number[key] = keys.size++;
        key = number[key];
    }
    return keys;
}
}  // namespace incrowd
