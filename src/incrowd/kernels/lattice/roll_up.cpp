// The classes that nodes are counted from: the table itself, and those kept of finer nodes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lattice/node_counting.hpp"

namespace incrowd {
namespace {
constexpr size_t kKeptSources = 24;       // deeper caching did not pay
constexpr size_t kKeptTuples = 1u << 23;  // over all kept sources, about 200 MB
}  // namespace

void NodeCounter::make_rows(const std::vector<int32_t>& codes, size_t m) {
    int64_t offset = 0;
    const size_t width = cells_.size();
    rows_.resize(m * width);
    for (size_t c = 0; c < width; ++c) {
        const std::vector<uint32_t> of_tuple = pack_codes(cells_[c], columns_, codes, m);
        for (size_t i = 0; i < m; ++i)
            rows_[i * width + c] = static_cast<uint32_t>(offset) + of_tuple[i];
        offset += cells_[c].codes;
    }
    histogram_.assign(static_cast<size_t>(offset), 0);
}

NodeCounter::Source NodeCounter::make_base(const std::vector<int32_t>& codes,
                                           std::vector<int64_t> records) {
    const size_t m = records.size();
    Source base{std::move(records), requirements_.kind(), std::vector<uint32_t>(chunks_.size() * m),
                std::vector<int32_t>(m + 1), std::vector<int32_t>(m)};
    std::iota(base.start.begin(), base.start.end(), 0);
    std::iota(base.tuples.begin(), base.tuples.end(), 0);
    for (size_t c = 0; c < chunks_.size(); ++c)
        std::ranges::copy(pack_codes(chunks_[c], columns_, codes, m),
                          base.chunk_codes.begin() + static_cast<std::ptrdiff_t>(c * m));
    return base;
}

// The classes at every level combination of these few columns (others at level 0) are kept. Columns
// whose records spread over many leaves merge most tuples when they are generalised.
void NodeCounter::choose_early_columns(const std::vector<int32_t>& codes) {
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

const NodeCounter::Source& NodeCounter::source_for(const Levels& levels) {
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

NodeCounter::Source NodeCounter::roll_up(const Source& finer, const Levels& levels) {
    number_classes(finer, levels, true);
    const size_t classes = sizes_.size(), items = finer.size();
    for (size_t i = 0; i < items; ++i) sizes_[class_of_[i]] += finer.records[i];
    Source result{sizes_, std::vector<int32_t>(classes),
                  std::vector<uint32_t>(chunks_.size() * classes),
                  std::vector<int32_t>(classes + 1, 0), std::vector<int32_t>(finer.tuples.size())};
    for (size_t i = 0; i < items; ++i) {
        const auto at = static_cast<size_t>(class_of_[i]);
        result.start[at + 1] += finer.start[i + 1] - finer.start[i];
        result.kind[at] = finer.kind[i];
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

void NodeCounter::classify(const Source& source, const Levels& levels, const uint8_t* dead) {
    number_classes(source, levels);
    const size_t items = source.size();
    const int32_t* class_of = class_of_.data();
    const int64_t* records = source.records.data();
    int64_t* sizes = sizes_.data();
    if (dead == nullptr) {
        for (size_t i = 0; i < items; ++i) sizes[class_of[i]] += records[i];
    } else {
        for (size_t i = 0; i < items; ++i) sizes[class_of[i]] += dead[i] ? 0 : records[i];
    }
}

// Packs each item into a mixed-radix key and numbers the keys; sizes_ becomes zeros.  `by_kind`
// keeps apart what carries different things.
void NodeCounter::number_classes(const Source& source, const Levels& levels, bool by_kind) {
    const size_t items = source.size();
    uint64_t key_space = 1;
    std::fill_n(keys_.begin(), items, 0);
    if (by_kind && requirements_.kinds() > 1) {
        key_space = requirements_.kinds();
        for (size_t i = 0; i < items; ++i) keys_[i] = static_cast<uint64_t>(source.kind[i]);
    }
    for (size_t c = 0; c < chunks_.size(); ++c) {
        const uint64_t size = pack_size(chunks_[c], columns_, levels);
        if (size == 1) continue;
        if (key_space >
            (kKeyLimit - 1) / size) {  // a stage is full: its classes are the next digit
            numbering_.number(keys_.data(), items, key_space, class_of_.data());
            for (size_t i = 0; i < items; ++i) keys_[i] = static_cast<uint64_t>(class_of_[i]);
            key_space = items;
        }
        const uint32_t* table = pack_keys(chunks_[c], columns_, levels).data();
        const uint32_t* codes = source.chunk_codes.data() + c * items;
        uint64_t* keys = keys_.data();
        for (size_t i = 0; i < items; ++i) keys[i] += key_space * table[codes[i]];
        key_space *= size;
    }
    const int32_t classes = numbering_.number(keys_.data(), items, key_space, class_of_.data());
    sizes_.assign(static_cast<size_t>(classes), 0);
}
}  // namespace incrowd
