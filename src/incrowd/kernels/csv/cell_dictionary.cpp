#include "csv/cell_dictionary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace incrowd {
namespace {
constexpr int32_t kEmpty = -1;
constexpr size_t kMany = 1 << 15;  // fewer cells stay in the cache, and finding them costs little
constexpr uint64_t kOnes = ~uint64_t{0};
constexpr uint64_t kLowBits = 0x0101010101010101ULL, kHighBits = 0x8080808080808080ULL;

inline uint64_t load(const char* from, size_t length) {
    uint64_t word;
    std::memcpy(&word, from, 8);
    if (length >= 8) return word;
    if constexpr (std::endian::native == std::endian::big)
        return length ? word & (kOnes << (64 - 8 * length)) : 0;
    return word & ~(kOnes << (8 * length));
}

inline uint64_t mix(uint64_t x) {
    x *= 0x9e3779b97f4a7c15ULL;
    x ^= x >> 32;
    x *= 0xbf58476d1ce4e5b9ULL;
    return x ^ (x >> 29);
}

inline uint64_t key_of(std::string_view cell) {
    if (cell.size() <= 8) return load(cell.data(), cell.size());
    uint64_t key = 0;
    for (size_t at = 0; at < cell.size(); at += 8)
        key = mix(key ^ load(cell.data() + at, cell.size() - at));
    return key;
}

inline uint64_t slot_of(uint64_t key, uint32_t length) { return mix(key + length); }

// Whether eight bytes are ASCII without NUL.  A byte of 1 after a NUL may say no for nothing.
inline bool plain(uint64_t word) { return ((word | (word - kLowBits)) & kHighBits) == 0; }

// How many bytes the UTF-8 character at `at` has; 0 if it is none.  No overlong forms, no
// surrogates, nothing above U+10FFFF.
size_t utf8_length(const unsigned char* at, const unsigned char* end) {
    const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return at + i < end && at[i] >= low && at[i] <= high;
    };
    const unsigned char lead = *at;
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
        return follows(1, low, high) && follows(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
        return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}
}  // namespace

TextProblem check_text(std::string_view cell) {
    const auto* at = reinterpret_cast<const unsigned char*>(cell.data());
    const auto* end = at + cell.size();
    while (at < end) {
        if (end - at >= 8 && plain(load(reinterpret_cast<const char*>(at), 8))) {
            at += 8;
            continue;
        }
        if (*at == 0) return TextProblem::nul_byte;
        const size_t length = utf8_length(at, end);
        if (length == 0) return TextProblem::not_utf8;
        at += length;
    }
    return TextProblem::none;
}

void check_offsets(std::span<const uint8_t> bytes, std::span<const int64_t> offsets) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != std::ssize(bytes))
        throw std::invalid_argument("csv: the offsets do not fit the cells");
    for (size_t i = 1; i < offsets.size(); ++i)
        if (offsets[i] < offsets[i - 1])
            throw std::invalid_argument("csv: the offsets are not in order");
}

CellDictionary::CellDictionary() : slots_(64, Slot{0, 0, kEmpty}), mask_(slots_.size() - 1) {}

// For a slot whose key and length are those of the cell.
bool CellDictionary::holds(const Slot& slot, std::string_view cell) const {
    if (cell.size() <= 8) return true;
    const auto code = static_cast<size_t>(slot.code);
    return offsets[code + 1] - offsets[code] == std::ssize(cell) &&
           std::memcmp(bytes.data() + offsets[code], cell.data(), cell.size()) == 0;
}

int32_t CellDictionary::insert(std::string_view cell) {
    const uint64_t key = key_of(cell);
    const auto length =
        static_cast<uint32_t>(std::min<size_t>(cell.size(), std::numeric_limits<uint32_t>::max()));
    for (uint64_t at = slot_of(key, length) & mask_;; at = (at + 1) & mask_) {
        Slot& slot = slots_[at];
        if (slot.code == kEmpty) {
            const int32_t code = append(cell);
            if (code == kEmpty) return kEmpty;
            slot = {key, length, code};
            if (offsets.size() * 3 > slots_.size() * 2) grow();
            return code;
        }
        if (slot.key == key && slot.length == length && holds(slot, cell)) return slot.code;
    }
}

int32_t CellDictionary::append(std::string_view cell) {
    if (check_text(cell) != TextProblem::none) return kEmpty;
    bytes.insert(bytes.end(), cell.begin(), cell.end());
    offsets.push_back(static_cast<int64_t>(bytes.size()));
    return static_cast<int32_t>(offsets.size() - 2);
}

int32_t CellDictionary::insert_if_it_pays(std::string_view cell) {
    if (!distinct) return append(cell);
    ++asked_;
    const size_t room = slots_.size();
    const int32_t code = insert(cell);
    const bool grew = slots_.size() > room;
    if (grew && offsets.size() > kMany && 4 * std::ssize(offsets) > 3 * asked_) {
        distinct = false;
        std::vector<Slot>().swap(slots_);
    }
    return code;
}

void CellDictionary::grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, 0, kEmpty});
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.code == kEmpty) continue;
        uint64_t at = slot_of(slot.key, slot.length) & mask_;
        while (slots_[at].code != kEmpty) at = (at + 1) & mask_;
        slots_[at] = slot;
    }
}
}  // namespace incrowd
