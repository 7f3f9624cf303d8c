// Columns packed together, so that a tuple takes a few look-ups instead of one per column.
#pragma once

#include <span>

#include "lattice/column.hpp"

namespace incrowd {
struct Pack {
    std::vector<size_t> columns;
    int64_t codes = 1;                     // the product of their domains
    ByLevels<std::vector<uint32_t>> keys;  // by level combination and code, made when needed
};

// Puts columns together while the product of their domains stays at most `most`.
std::vector<Pack> packed(const std::vector<LatticeColumn>& columns, int64_t most);

// The codes of all tuples; `codes` is column-major with m tuples.
std::vector<uint32_t> pack_codes(const Pack& pack, const std::vector<LatticeColumn>& columns,
                                 std::span<const int32_t> codes, size_t m);

// How many different keys a pack has at some levels.
uint64_t pack_size(const Pack& pack, const std::vector<LatticeColumn>& columns,
                   const Levels& levels);

// By code: the mixed-radix key of the pack's columns at some levels.
const std::vector<uint32_t>& pack_keys(Pack& pack, const std::vector<LatticeColumn>& columns,
                                       const Levels& levels);
}  // namespace incrowd
