#include "core/key_table.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {
namespace {
constexpr uint64_t kDirectlyHeld = 1u << 18;
constexpr size_t kFewestSlots = 1u << 12;
constexpr size_t kDifferent = 1u << 20;  // so many rows are taken for different ones: 8 MB at most
constexpr size_t kNear = 1u << 20;       // slots whose keys are not far
constexpr size_t kGrowth = 4;            // every key is hashed again
constexpr size_t kKeysTogether = 128;    // keys on their way from memory at a time
}  // namespace

KeyTable::KeyTable(uint64_t key_space, size_t rows)
    : direct_(key_space <= std::max<uint64_t>(kDirectlyHeld, rows / 2)) {
    const size_t different = std::min(rows, kDifferent);
    if (direct_) {
        table_.assign(key_space, -1);
        first_.reserve(std::min<uint64_t>(different, key_space));
    } else {
        make_slots(2 * different);
        keys_.reserve(different);
        first_.reserve(different);
    }
}

void KeyTable::number(std::span<const uint64_t> keys, size_t row, int32_t* class_of) {
    if (direct_) return directly(keys, row, class_of);
    for (size_t at = 0; at < keys.size(); at += kKeysTogether) {
        const size_t n = std::min(kKeysTogether, keys.size() - at);
        by_hash(keys.subspan(at, n), row + at, class_of + at);
    }
}

void KeyTable::directly(std::span<const uint64_t> keys, size_t row, int32_t* class_of) {
    for (size_t i = 0; i < keys.size(); ++i) {
        int32_t& at = table_[keys[i]];
        if (at < 0) at = add(keys[i], row + i);
        class_of[i] = at;
    }
}

void KeyTable::by_hash(std::span<const uint64_t> keys, size_t row, int32_t* class_of) {
    make_room(keys.size());
    // By pointers of their own: the compiler cannot know that `class_of` is none of these
    size_t slots[kKeysTogether];
    int32_t* const table = table_.data();
    for (size_t i = 0; i < keys.size(); ++i) {
        slots[i] = slot_of(keys[i]);
        __builtin_prefetch(&table[slots[i]]);
    }
    auto classes = static_cast<int32_t>(keys_.size());
    keys_.resize(keys_.size() + keys.size());
    first_.resize(keys_.size());
    uint64_t* const known = keys_.data();
    int64_t* const first = first_.data();
    if (table_.size() > kNear)
        for (size_t i = 0; i < keys.size(); ++i)
            if (const int32_t at = table[slots[i]]; at >= 0) __builtin_prefetch(&known[at]);
    const size_t mask = table_.size() - 1;
    for (size_t i = 0; i < keys.size(); ++i) {
        size_t slot = slots[i];
        int32_t at;
        while ((at = table[slot]) >= 0 && known[at] != keys[i]) slot = (slot + 1) & mask;
        if (at < 0) {
            at = table[slot] = classes++;
            known[at] = keys[i];
            first[at] = static_cast<int64_t>(row + i);
        }
        class_of[i] = at;
    }
    keys_.resize(static_cast<size_t>(classes));
    first_.resize(static_cast<size_t>(classes));
}

// Multiplicative hashing: the high bits of the product depend on all bits of the key.
size_t KeyTable::slot_of(uint64_t key) const {
    return ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL) >> shift_;
}

void KeyTable::make_slots(size_t wanted) {
    const size_t slots = std::bit_ceil(std::max(kFewestSlots, wanted));
    table_.assign(slots, -1);
    shift_ = 64 - std::countr_zero(slots);
}

void KeyTable::make_room(size_t keys) {
    if (2 * (keys_.size() + keys) <= table_.size()) return;
    make_slots(std::max(kGrowth * table_.size(), 2 * (keys_.size() + keys)));
    const size_t slots = table_.size();
    for (size_t at = 0; at < keys_.size(); ++at) {
        size_t slot = slot_of(keys_[at]);
        while (table_[slot] >= 0) slot = (slot + 1) & (slots - 1);
        table_[slot] = static_cast<int32_t>(at);
    }
}

int32_t KeyTable::add(uint64_t key, size_t row) {
    if (!direct_) keys_.push_back(key);
    first_.push_back(static_cast<int64_t>(row));
    return static_cast<int32_t>(first_.size() - 1);
}
}  // namespace incrowd
