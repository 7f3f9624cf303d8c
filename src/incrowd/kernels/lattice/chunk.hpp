// Columns whose combinations of leaves are numbered, as far as they occur in a table: a tuple then
// takes one look-up for all of them, and no room is left for keys that nobody has.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lattice/packing.hpp"

namespace incrowd {
// By number of a combination: its key, which is that of all combinations that are alike at some
// levels.
struct ChunkKeys {
    std::vector<uint32_t> key;
    uint32_t size = 0;  // all keys are below
};

class Chunk {
  public:
    // `codes` is column-major with m tuples.
    Chunk(Pack pack, const std::vector<LatticeColumn>& columns, std::span<const int32_t> codes,
          size_t m);

    // By tuple: the number of its combination.  Handed out once.
    std::vector<uint32_t> take_codes() { return std::move(of_tuple_); }
    // Made when they are asked for first, and kept.
    const ChunkKeys& keys(const std::vector<LatticeColumn>& columns, const Levels& levels);

  private:
    ChunkKeys made(const std::vector<LatticeColumn>& columns, const Levels& levels) const;

    Pack pack_;
    std::vector<uint32_t> of_tuple_;
    std::vector<std::vector<int32_t>> leaf_;  // by column of the pack and combination
    ByLevels<ChunkKeys> kept_;
};
}  // namespace incrowd
