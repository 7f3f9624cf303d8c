#include "core/key_table.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {
namespace {
constexpr uint64_t kDirectlyHeld = 1u << 18;
constexpr size_t kFewestSlots = 1u << 12;
constexpr size_t kKeysTogether = 128;  // keys on their way from memory at a time
}  // namespace

KeyTable::KeyTable(uint64_t key_space, size_t rows)
    : direct_(key_space <= std::max<uint64_t>(kDirectlyHeld, rows / 2)) {
    if (direct_) table_.assign(key_space, -1);
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
    size_t slots[kKeysTogether];
    for (size_t i = 0; i < keys.size(); ++i) {
        slots[i] = slot_of(keys[i]);
        __builtin_prefetch(&table_[slots[i]]);
    }
    for (size_t i = 0; i < keys.size(); ++i)
        if (const int32_t at = table_[slots[i]]; at >= 0) __builtin_prefetch(&keys_[at]);
    const size_t mask = table_.size() - 1;
    for (size_t i = 0; i < keys.size(); ++i) {
        size_t slot = slots[i];
        int32_t at;
        while ((at = table_[slot]) >= 0 && keys_[at] != keys[i]) slot = (slot + 1) & mask;
        if (at < 0) at = table_[slot] = add(keys[i], row + i);
        class_of[i] = at;
    }
}

// Multiplicative hashing: the high bits of the product depend on all bits of the key.
size_t KeyTable::slot_of(uint64_t key) const {
    return ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL) >> shift_;
}

void KeyTable::make_room(size_t keys) {
    const size_t needed = 2 * (keys_.size() + keys);
    if (needed <= table_.size()) return;
    const size_t slots = std::bit_ceil(std::max(kFewestSlots, needed));
    table_.assign(slots, -1);
    shift_ = 64 - std::countr_zero(slots);
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
