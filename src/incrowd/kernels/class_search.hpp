// Searching for classes that lose less: the moves of the local search on one bucket of records.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "editable_classes.hpp"

namespace incrowd {

// SplitMix64: the same numbers everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }

private:
    std::uint64_t state_;
};

class ClassSearch {
public:
    // Whether changed classes may stay; asked about steps that gain, if there is anybody to ask.
    using Judge = std::function<bool(const std::vector<std::int32_t>&)>;

    ClassSearch(EditableClasses& classes, std::int64_t k, std::uint64_t seed, Judge judge);

    // Dissolves classes whose records are cheaper elsewhere, and moves records out of classes that
    // are larger than they need be.
    void dissolve_and_move();
    // Spawns and ruins until so many cells were looked at.
    void explore(std::uint64_t work);

private:
    bool settle();
    bool dissolve(std::int32_t c);
    bool move_out(std::int32_t item);
    bool scatter(std::vector<std::int32_t>& items);
    bool spawn();
    bool ruin();
    std::int32_t costly_item();
    void nearest_classes(std::int32_t item, std::size_t n);
    bool grow(std::int32_t c, std::vector<std::int32_t>& pool);
    bool take_from_neighbours(std::int32_t c, std::int64_t wanted);
    void refill_donors();

    EditableClasses& classes_;
    std::int64_t k_;
    Random random_;
    Judge judge_;
    std::vector<std::int32_t> near_, pool_, taken_, candidates_;
    std::vector<std::pair<std::int32_t, std::int32_t>> ranked_;
};

}  // namespace incrowd
