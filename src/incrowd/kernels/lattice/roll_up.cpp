// The classes that nodes are counted from: the table itself, and those kept of finer nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lattice/node_counting.hpp"

namespace incrowd {
namespace {
constexpr size_t kKeptSources = 24;         // deeper caching did not pay
constexpr size_t kKeptTuples = 1u << 23;    // over all kept sources, about 200 MB
constexpr uint64_t kDirectKeys = 1u << 18;  // beyond it, numbering classes touches less memory
}  // namespace

Source NodeCounter::make_base(std::span<const int64_t> records) {
    const size_t m = records.size();
    Source base{{records.begin(), records.end()},
                {},
                {},
                std::vector<int32_t>(m + 1),
                std::vector<int32_t>(m)};
    if (!requirements_.only_sizes()) base.kind = requirements_.kind();
    std::iota(base.start.begin(), base.start.end(), 0);
    std::iota(base.tuples.begin(), base.tuples.end(), 0);
    base.chunk_codes.reserve(chunks_.size() * m);
    for (Chunk& chunk : chunks_) {
        const std::vector<uint32_t> own = chunk.take_codes();
        base.chunk_codes.insert(base.chunk_codes.end(), own.begin(), own.end());
    }
    return base;
}

// The classes at every level combination of these few columns (others at level 0) are kept. Columns
// whose records spread over many leaves merge most tuples when they are generalised.
void NodeCounter::choose_early_columns(std::span<const int32_t> codes) {
    const std::vector<int64_t>& records = sources_.at(Levels{}).records;
    const size_t m = records.size();
    std::vector<std::pair<double, size_t>> spread;  // minus the entropy, column
    for (size_t j = 0; j < columns_.size(); ++j) {
        if (columns_[j].height() == 0) continue;
        std::vector<double> leaf(static_cast<size_t>(columns_[j].codes), 0);
        for (size_t i = 0; i < m; ++i) leaf[codes[j * m + i]] += static_cast<double>(records[i]);
        double sum = 0;
        for (double count : leaf) sum += count > 0 ? count * std::log(count) : 0;
        spread.emplace_back(sum, j);
    }
    std::ranges::sort(spread);
    const size_t affordable = std::min(kKeptSources, kKeptTuples / std::max<size_t>(1, m));
    size_t combinations = 1;
    for (const auto& [sum, j] : spread) {
        combinations *= columns_[j].node.size();
        if (combinations > affordable) break;
        early_.push_back(j);
    }
}

const Source& NodeCounter::source_for(const Levels& levels) {
    Levels key;
    Levels at(columns_.size(), 0);
    const Source* finer = &sources_.at(Levels{});
    for (size_t j : early_) {
        key.push_back(levels[j]);
        at[j] = levels[j];
        if (levels[j] == 0) continue;  // merges nothing: the finer source serves as it is
        auto found = sources_.find(key);
        if (found == sources_.end()) {
            if (!wanted_.insert(key).second)  // asked for a second time: it will be again
                found = sources_.emplace(key, roll_up(*finer, at)).first;
            else continue;
        }
        finer = &found->second;
    }
    return *finer;
}

Source NodeCounter::roll_up(const Source& finer, const Levels& levels) {
    const auto classes = static_cast<size_t>(number_classes(finer, levels, true));
    const size_t items = finer.size();
    Source result{std::vector<int64_t>(classes, 0),
                  std::vector<int32_t>(finer.kind.empty() ? 0 : classes),
                  std::vector<uint32_t>(chunks_.size() * classes),
                  std::vector<int32_t>(classes + 1, 0), std::vector<int32_t>(finer.tuples.size())};
    for (size_t i = 0; i < items; ++i) {
        const auto at = static_cast<size_t>(class_of_[i]);
        result.start[at + 1] += finer.start[i + 1] - finer.start[i];
        if (!finer.kind.empty()) result.kind[at] = finer.kind[i];
        result.records[at] += finer.records[i];
    }
    for (size_t c = 0; c < chunks_.size(); ++c)
        for (size_t i = 0; i < items; ++i)
            result.chunk_codes[c * classes + static_cast<size_t>(class_of_[i])] =
                finer.chunk_codes[c * items + i];
    std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
    std::vector<int32_t> next(result.start.begin(), result.start.end() - 1);
    for (size_t i = 0; i < items; ++i) {
        int32_t& into = next[class_of_[i]];
        for (int32_t t = finer.start[i]; t < finer.start[i + 1]; ++t)
            result.tuples[into++] = finer.tuples[t];
    }
    return result;
}

void NodeCounter::find_digits(const Source& source, const Levels& levels) {
    digits_.clear();
    for (size_t c = 0; c < chunks_.size(); ++c) {
        const ChunkKeys& keys = chunks_[c].keys(columns_, levels);
        if (keys.size <= 1) continue;  // all alike, or nothing there
        digits_.push_back(
            {keys.key.data(), source.chunk_codes.data() + c * source.size(), keys.size});
    }
}

void NodeCounter::forget_sizes() {
    for (size_t i = 0; i < added_up_; ++i) sizes_[class_of_[i]] = 0;
    added_up_ = 0;
}

void NodeCounter::add_up(const Source& source, const Levels& levels, const uint8_t* dead) {
    const size_t items = source.size();
    find_digits(source, levels);
    uint64_t numbers = pack_items(items);
    if (numbers > kDirectKeys) numbers = static_cast<uint64_t>(number_classes(source, levels));
    if (sizes_.size() < numbers) sizes_.resize(numbers, 0);
    const int32_t* class_of = class_of_.data();
    const int64_t* records = source.records.data();
    int64_t* sizes = sizes_.data();
    if (dead == nullptr) {
        for (size_t i = 0; i < items; ++i) sizes[class_of[i]] += records[i];
    } else {
        for (size_t i = 0; i < items; ++i) sizes[class_of[i]] += dead[i] ? 0 : records[i];
    }
    added_up_ = items;
}

// Several digits in one pass: sums need not be written and read again in between.
template <size_t N>
void NodeCounter::add_digits(size_t first, uint64_t place, size_t items) {
    std::array<const uint32_t*, N> keys, codes;
    std::array<uint32_t, N> places;
    for (size_t d = 0; d < N; ++d) {
        keys[d] = digits_[first + d].keys;
        codes[d] = digits_[first + d].codes;
        places[d] = static_cast<uint32_t>(place);
        place *= digits_[first + d].size;
    }
    int32_t* class_of = class_of_.data();
    const auto key = [&](size_t i) {
        uint32_t sum = keys[0][codes[0][i]] * places[0];
        for (size_t d = 1; d < N; ++d) sum += keys[d][codes[d][i]] * places[d];
        return static_cast<int32_t>(sum);
    };
    if (first == 0) {
        for (size_t i = 0; i < items; ++i) class_of[i] = key(i);
    } else {
        for (size_t i = 0; i < items; ++i) class_of[i] += key(i);
    }
}

// Sets class_of_ to a small number for each class: digits make up keys as long as there are few,
// and then the keys that occur are numbered and are one digit.  Returns how many numbers there
// could be; more than kDirectKeys if this does not work.
uint64_t NodeCounter::pack_items(size_t items) {
    forget_sizes();
    if (digits_.empty()) std::fill_n(class_of_.begin(), items, 0);
    uint64_t space = 1;
    for (size_t d = 0; d < digits_.size();) {
        const size_t first = d;
        const uint64_t place = space;
        for (; d < digits_.size() && d < first + 3; ++d) {
            if (space * digits_[d].size > kDirectKeys) break;
            space *= digits_[d].size;
        }
        if (d - first == 3) add_digits<3>(first, place, items);
        else if (d - first == 2) add_digits<2>(first, place, items);
        else if (d - first == 1) add_digits<1>(first, place, items);
        else {
            const uint64_t size = digits_[d].size;
            if (d == 0) return size;
            space = static_cast<uint64_t>(numbering_.number_small(class_of_.data(), items, space));
            if (space * size > kDirectKeys) return space * size;
        }
    }
    return space;
}

// Packs each item into a mixed-radix key and numbers the keys.  `by_kind` keeps apart what carries
// different things.
int32_t NodeCounter::number_classes(const Source& source, const Levels& levels, bool by_kind) {
    forget_sizes();
    const size_t items = source.size();
    uint64_t space = 1;
    std::fill_n(keys_.begin(), items, 0);
    if (by_kind && !source.kind.empty()) {
        space = requirements_.kinds();
        for (size_t i = 0; i < items; ++i) keys_[i] = static_cast<uint64_t>(source.kind[i]);
    }
    find_digits(source, levels);
    for (const Digit& digit : digits_) {
        if (space > (kKeyLimit - 1) / digit.size) {  // a stage is full: its classes are one digit
            numbering_.number(keys_.data(), items, space, class_of_.data());
            for (size_t i = 0; i < items; ++i) keys_[i] = static_cast<uint64_t>(class_of_[i]);
            space = items;
        }
        uint64_t* keys = keys_.data();
        for (size_t i = 0; i < items; ++i) keys[i] += space * digit.keys[digit.codes[i]];
        space *= digit.size;
    }
    return numbering_.number(keys_.data(), items, space, class_of_.data());
}
}  // namespace incrowd
