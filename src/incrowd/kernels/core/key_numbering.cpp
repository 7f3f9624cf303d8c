#include "core/key_numbering.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {
namespace {
constexpr uint64_t kDirectKeys = 1u << 18;  // beyond it, hashing touches less memory
}  // namespace

int32_t KeyNumbering::number(const uint64_t* keys, size_t n, uint64_t key_space,
                             int32_t* class_of) {
    if (class_key_.size() < n) class_key_.resize(n);
    if (key_space > kDirectKeys) return by_hash(keys, n, class_of);
    if (direct_.size() < key_space) direct_.resize(key_space, -1);
    return directly(keys, n, class_of);
}

int32_t KeyNumbering::number_small(int32_t* keys, size_t n, uint64_t key_space) {
    if (class_key_.size() < n) class_key_.resize(n);
    if (direct_.size() < key_space) direct_.resize(key_space, -1);
    return directly(keys, n, keys);
}

template <typename Key>
int32_t KeyNumbering::directly(const Key* keys, size_t n, int32_t* class_of) {
    int32_t classes = 0;
    int32_t* direct = direct_.data();
    uint64_t* class_key = class_key_.data();
    for (size_t i = 0; i < n; ++i) {
        const auto key = static_cast<uint64_t>(keys[i]);
        int32_t at = direct[key];
        if (at < 0) {
            at = classes++;
            direct[key] = at;
            class_key[at] = key;
        }
        class_of[i] = at;
    }
    for (int32_t at = 0; at < classes; ++at) direct[class_key[at]] = -1;
    return classes;
}

int32_t KeyNumbering::by_hash(const uint64_t* keys, size_t n, int32_t* class_of) {
    const size_t capacity = std::bit_ceil(std::max<size_t>(16, n * 2));
    hashed_.assign(capacity, -1);
    const int shift = 64 - std::countr_zero(capacity);
    int32_t classes = 0;
    int32_t* table = hashed_.data();
    uint64_t* class_key = class_key_.data();
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = keys[i];
        // Multiplicative hashing: the high bits of the product depend on all bits of the key.
        size_t slot = ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL) >> shift;
        int32_t at;
        while ((at = table[slot]) >= 0 && class_key[at] != key) slot = (slot + 1) & (capacity - 1);
        if (at < 0) {
            at = classes++;
            table[slot] = at;
            class_key[at] = key;
        }
        class_of[i] = at;
    }
    return classes;
}
}  // namespace incrowd
