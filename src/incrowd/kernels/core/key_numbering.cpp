#include "core/key_numbering.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {

namespace {

constexpr std::uint64_t kDirectKeys = 1u << 18;  // beyond it, hashing touches less memory

}  // namespace

std::int32_t KeyNumbering::number(const std::uint64_t* keys, std::size_t n, std::uint64_t key_space,
                                  std::int32_t* class_of) {
    if (class_key_.size() < n) class_key_.resize(n);
    if (key_space > kDirectKeys) return by_hash(keys, n, class_of);
    if (direct_.size() < key_space) direct_.resize(key_space, -1);
    return directly(keys, n, class_of);
}

std::int32_t KeyNumbering::directly(const std::uint64_t* keys, std::size_t n,
                                    std::int32_t* class_of) {
    std::int32_t classes = 0;
    std::int32_t* direct = direct_.data();
    std::uint64_t* class_key = class_key_.data();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[i];
        std::int32_t at = direct[key];
        if (at < 0) {
            at = classes++;
            direct[key] = at;
            class_key[at] = key;
        }
        class_of[i] = at;
    }
    for (std::int32_t at = 0; at < classes; ++at) direct[class_key[at]] = -1;
    return classes;
}

std::int32_t KeyNumbering::by_hash(const std::uint64_t* keys, std::size_t n,
                                   std::int32_t* class_of) {
    const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(16, n * 2));
    hashed_.assign(capacity, -1);
    const int shift = 64 - std::countr_zero(capacity);
    std::int32_t classes = 0;
    std::int32_t* table = hashed_.data();
    std::uint64_t* class_key = class_key_.data();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[i];
        // Multiplicative hashing: the high bits of the product depend on all bits of the key.
        std::size_t slot = ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL) >> shift;
        std::int32_t at;
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
