#include "grouping.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

#include "arrays.hpp"

namespace incrowd {

namespace {

constexpr std::int32_t kEmpty = -1;
constexpr std::uint64_t kKeyLimit = std::uint64_t{1} << 63;

// The finaliser of SplitMix64: neighbouring keys land far apart.
inline std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// How many columns from `start` on fit into one key beside a digit of `groups` values.
std::size_t columns_that_fit(std::span<const std::int64_t> sizes, std::size_t start,
                             std::uint64_t groups) {
    std::uint64_t product = groups;
    std::size_t end = start;
    while (end < sizes.size() &&
           product <= (kKeyLimit - 1) / static_cast<std::uint64_t>(sizes[end])) {
        product *= static_cast<std::uint64_t>(sizes[end]);
        ++end;
    }
    return end;
}

void check(std::span<const std::int32_t> codes, std::span<const std::int64_t> sizes,
           std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("group: more than 2^31 - 1 rows");
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        const std::int64_t size = sizes[j];
        if (size < 1 || size > std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("group: a column size is out of range");
        std::uint32_t largest = 0;  // a negative code is a very large unsigned one
        for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, static_cast<std::uint32_t>(codes[j * n + i]));
        if (n && largest >= static_cast<std::uint64_t>(size))
            throw std::invalid_argument("group: a code is out of range");
    }
}

}  // namespace

KeyIndex::KeyIndex(std::size_t expected)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, expected * 2)), Slot{0, kEmpty}),
      mask_(slots_.size() - 1) {}

std::int32_t KeyIndex::insert(std::uint64_t key) {
    for (std::uint64_t at = mix(key) & mask_;; at = (at + 1) & mask_) {
        Slot& slot = slots_[at];
        if (slot.group == kEmpty) {
            slot = {key, size_++};
            const std::int32_t group = slot.group;
            if (static_cast<std::size_t>(size_) * 2 > slots_.size()) grow();
            return group;
        }
        if (slot.key == key) return slot.group;
    }
}

void KeyIndex::grow() {
    std::vector<Slot> old(slots_.size() * 4, Slot{0, kEmpty});
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.group == kEmpty) continue;
        std::uint64_t at = mix(slot.key) & mask_;
        while (slots_[at].group != kEmpty) at = (at + 1) & mask_;
        slots_[at] = slot;
    }
}

Grouping group_columns(std::span<const std::int32_t> codes, std::span<const std::int64_t> sizes,
                       std::size_t n) {
    check(codes, sizes, n);
    Grouping result{std::vector<std::int32_t>(n, 0), {}};
    std::uint64_t groups = 1;
    std::size_t start = 0;
    do {
        const std::size_t end = columns_that_fit(sizes, start, groups);
        KeyIndex index(n / 8);
        result.first.clear();
        for (std::size_t i = 0; i < n; ++i) {
            auto key = static_cast<std::uint64_t>(result.group_of[i]);
            for (std::size_t j = start; j < end; ++j)
                key = key * static_cast<std::uint64_t>(sizes[j]) +
                      static_cast<std::uint64_t>(codes[j * n + i]);
            const std::int32_t group = index.insert(key);
            if (static_cast<std::size_t>(group) == result.first.size())
                result.first.push_back(static_cast<std::int64_t>(i));
            result.group_of[i] = group;
        }
        groups = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(index.size()));
        start = end;
    } while (start < sizes.size());
    return result;
}

void bind_grouping(nb::module_& module) {
    module.def(
        "group",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> sizes) {
            if (codes.shape(0) != sizes.shape(0))
                throw std::invalid_argument("group: one size per column is needed");
            Grouping result;
            {
                nb::gil_scoped_release release;
                result = group_columns({codes.data(), codes.size()}, {sizes.data(), sizes.size()},
                                       codes.shape(1));
            }
            return nb::make_tuple(to_numpy(std::move(result.group_of)),
                                  to_numpy(std::move(result.first)));
        },
        nb::arg("codes"), nb::arg("sizes"));
}

}  // namespace incrowd
