// The classes that a small multiset may be partitioned into, packed into words.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "core/integers.hpp"
#include "core/workers.hpp"

namespace incrowd {
// What is partitioned: items in descending order of their records, some in several copies.
struct SmallItems {
    std::span<const int64_t> copies, records;  // by item; the records of one copy
    std::span<const int32_t> levels;           // (columns, items, items): of two together
    std::span<const int64_t> prices;           // (columns, levels, items): of one copy
    size_t n_columns, n_levels;
    int64_t k;

    size_t size() const { return copies.size(); }
};

// Copies of each item in one word: an item of one copy is a bit; one of several is a number with a
// spare bit above it, that shows when more is taken from it than there is.
class Packing {
  public:
    explicit Packing(std::span<const int64_t> copies);

    bool fits() const { return fits_; }
    uint64_t all() const { return all_; }
    size_t lowest(uint64_t word) const { return item_of_[std::countr_zero(word)]; }
    uint64_t one(size_t item) const { return uint64_t{1} << shift_[item]; }
    int64_t amount(uint64_t word, size_t item) const {
        return static_cast<int64_t>(word >> shift_[item] & mask_[item]);
    }
    bool holds(uint64_t word, uint64_t part) const {
        return (part & single_ & ~word) == 0 && (((word | spare_) - part) & spare_) == spare_;
    }
    // What each bit adds to a sum over copies, given what a copy of each item does.
    template <typename T>
    std::vector<T> by_bit(const std::vector<T>& by_item) const {
        std::vector<T> found(64, T{0});
        for (size_t item = 0; item < by_item.size(); ++item)
            for (int bit = 0; mask_[item] >> bit != 0; ++bit)
                found[shift_[item] + bit] = by_item[item] * static_cast<T>(int64_t{1} << bit);
        return found;
    }

  private:
    std::vector<int> shift_;
    std::vector<uint64_t> mask_;
    std::vector<size_t> item_of_;  // by bit
    uint64_t all_ = 0, single_ = 0, spare_ = 0;
    bool fits_ = true;
};

struct SmallClass {
    uint64_t members;
    int64_t cost;
};

// Sums over the members of classes, a byte of the word at a time.
template <typename T>
class SumOfMembers {
  public:
    SumOfMembers(const Packing& packing, const std::vector<T>& by_item) : table_(8 * 256, T{0}) {
        const std::vector<T> bits = packing.by_bit(by_item);
        for (size_t byte = 0; byte < 8; ++byte)
            for (size_t value = 1; value < 256; ++value)
                table_[byte * 256 + value] = table_[byte * 256 + (value & (value - 1))] +
                                             bits[byte * 8 + std::countr_zero(value)];
    }

    T operator()(uint64_t members) const {
        T sum{0};
        for (const T* at = table_.data(); members != 0; members >>= 8, at += 256)
            sum += at[members & 255];
        return sum;
    }

  private:
    std::vector<T> table_;
};

// Every class of at least k records that leaves none or as many, and is not seen to be dividable
// into two such; nothing if there are more than `most`.
//
// Dividing a class costs nothing: what its halves show lies at most as high, cell by cell.  So some
// cheapest partition has no class that can be divided.
std::vector<SmallClass> undivided_classes(const SmallItems& items, const Packing& packing,
                                          size_t most, Meter& meter);
}  // namespace incrowd
