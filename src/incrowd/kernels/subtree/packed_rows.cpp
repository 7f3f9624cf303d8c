#include "subtree/packed_rows.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {
namespace {
constexpr int kWordBits = 63;  // below the limit of what is numbered
constexpr uint64_t kAllKeys = uint64_t{1} << kWordBits;
}  // namespace

size_t lay_out(std::span<const uint64_t> sizes, std::vector<Field>& fields) {
    size_t word = 0;
    int used = 0;
    for (const uint64_t size : sizes) {
        const int bits = std::max(1, static_cast<int>(std::bit_width(size - 1)));
        if (used + bits > kWordBits) ++word, used = 0;
        fields.push_back({word, used, (uint64_t{1} << bits) - 1});
        used += bits;
    }
    return word + 1;
}

// More than one word: the numbers of the rows so far, and those of the next word, make a pair.
int32_t RowMerging::number(const PackedRows& rows, std::span<const uint64_t> bits,
                           std::vector<int32_t>& class_of) {
    const size_t n = rows.size();
    keys_.resize(n);
    class_of.resize(n);
    int32_t classes = 0;
    for (size_t w = 0; w < bits.size(); ++w) {
        for (size_t i = 0; i < n; ++i) keys_[i] = rows.words[w][i] & bits[w];
        own_.resize(w ? n : 0);
        int32_t* into = w ? own_.data() : class_of.data();
        const int32_t found = numbering_.number(keys_.data(), n, kAllKeys, into);
        if (w == 0) {
            classes = found;
            continue;
        }
        for (size_t i = 0; i < n; ++i)
            keys_[i] = static_cast<uint64_t>(class_of[i]) * static_cast<uint64_t>(found) +
                       static_cast<uint64_t>(own_[i]);
        const uint64_t pairs = static_cast<uint64_t>(classes) * static_cast<uint64_t>(found);
        classes = numbering_.number(keys_.data(), n, pairs, class_of.data());
    }
    return classes;
}

PackedRows RowMerging::merged(const PackedRows& rows) {
    everything_.assign(rows.words.size(), ~uint64_t{0});
    const auto n = static_cast<size_t>(number(rows, everything_, class_of_));
    PackedRows made{{}, std::vector<int64_t>(n, 0)};
    for (size_t i = 0; i < rows.size(); ++i) made.records[class_of_[i]] += rows.records[i];
    for (const auto& word : rows.words) {
        auto& own = made.words.emplace_back(n);
        for (size_t i = 0; i < rows.size(); ++i) own[class_of_[i]] = word[i];
    }
    return made;
}
}  // namespace incrowd
