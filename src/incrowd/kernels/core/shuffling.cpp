#include "core/shuffling.hpp"

#include <utility>

namespace incrowd {
namespace {
constexpr size_t kPlacesTogether = 64;  // places on their way from memory at a time

// Returns a place below `limit`, or `limit` if the word has to be passed over.
size_t place_of(uint32_t word, size_t limit) {
    const uint64_t product = uint64_t{word} * limit;
    const auto low = static_cast<uint32_t>(product);
    if (low < limit && low < (uint64_t{1} << 32) % limit) return limit;
    return static_cast<size_t>(product >> 32);
}
}  // namespace

size_t shuffle(std::span<int32_t> numbers, size_t left, std::span<const uint32_t> words) {
    size_t next = 0;
    size_t places[kPlacesTogether];
    while (left > 1 && next < words.size()) {
        size_t n = 0;
        for (; n < kPlacesTogether && left - n > 1 && next < words.size(); ++next) {
            const size_t place = place_of(words[next], left - n);
            if (place == left - n) continue;
            __builtin_prefetch(&numbers[place], 1);
            places[n++] = place;
        }
        for (size_t at = 0; at < n; ++at) std::swap(numbers[--left], numbers[places[at]]);
    }
    return left;
}
}  // namespace incrowd
