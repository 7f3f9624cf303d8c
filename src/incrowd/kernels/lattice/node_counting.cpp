#include "lattice/node_counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace incrowd {

namespace {

constexpr std::int64_t kChunkCodes = 8192;     // a look-up table stays in the first-level cache
constexpr std::int64_t kCellCodes = 256;       // few enough to sum up after every count
constexpr std::size_t kKeptSources = 24;       // deeper caching did not pay
constexpr std::size_t kKeptTuples = 1u << 23;  // over all kept sources, about 200 MB

}  // namespace

NodeCounter::NodeCounter(std::vector<std::int32_t> codes, std::vector<std::int64_t> records,
                         std::vector<LatticeColumn> columns, std::vector<MinimumSize> requirements,
                         Judge judge)
    : columns_(std::move(columns)),
      requirements_(std::move(requirements)),
      judge_(std::move(judge)) {
    const std::size_t d = columns_.size(), m = records.size();
    if (m > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("NodeCounter: more than 2^31 - 1 tuples");
    for (std::size_t j = 0; j < d; ++j) {
        columns_[j].slot = slots_;
        slots_ += columns_[j].node.size();
        for (std::size_t i = 0; i < m; ++i)
            if (codes[j * m + i] < 0 || codes[j * m + i] >= columns_[j].codes)
                throw std::invalid_argument("NodeCounter: a code is out of range");
    }
    records_ = std::accumulate(records.begin(), records.end(), std::int64_t{0});
    largest_suppressed_ = judge_ ? records_ : 0;
    for (const MinimumSize& each : requirements_) {
        largest_suppressed_ = std::max(largest_suppressed_, each.size - 1);
        if (std::all_of(each.covers.begin(), each.covers.end(), [](auto c) { return c != 0; }))
            smallest_kept_ = std::max(smallest_kept_, each.size);
    }
    keys_.resize(m);
    class_of_.resize(m);
    dead_.resize(m);
    chunks_ = packed(columns_, kChunkCodes);
    cells_ = packed(columns_, kCellCodes);
    if (!judge_) sort_tuples(codes, records);  // a judge knows the tuples by their numbers
    make_rows(codes, m);
    sources_.emplace(Levels{}, make_base(codes, std::move(records)));
    choose_early_columns(codes);
}

Levels NodeCounter::top() const {
    Levels levels;
    for (const LatticeColumn& column : columns_) levels.push_back(column.height());
    return levels;
}

// Puts tuples in the order of their codes, so that neighbours share classes and memory: a radix
// sort over the chunks, last digit first.
void NodeCounter::sort_tuples(std::vector<std::int32_t>& codes,
                              std::vector<std::int64_t>& records) const {
    const std::size_t m = records.size();
    std::vector<std::size_t> order(m), next(m);
    std::iota(order.begin(), order.end(), 0);
    for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
        std::vector<std::uint32_t> digit(m);
        std::vector<std::size_t> start(static_cast<std::size_t>(chunk->codes) + 1, 0);
        for (std::size_t i = 0; i < m; ++i) {
            digit[i] = static_cast<std::uint32_t>(pack_code(*chunk, columns_, codes, m, i));
            ++start[digit[i] + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (std::size_t tuple : order) next[start[digit[tuple]]++] = tuple;
        order.swap(next);
    }
    std::vector<std::int32_t> column(m);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        for (std::size_t i = 0; i < m; ++i) column[i] = codes[j * m + order[i]];
        std::copy(column.begin(), column.end(), codes.begin() + static_cast<std::ptrdiff_t>(j * m));
    }
    std::vector<std::int64_t> sorted(m);
    for (std::size_t i = 0; i < m; ++i) sorted[i] = records[order[i]];
    records = std::move(sorted);
}

void NodeCounter::make_rows(const std::vector<std::int32_t>& codes, std::size_t m) {
    std::int64_t offset = 0;
    rows_.resize(m * cells_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        for (std::size_t i = 0; i < m; ++i)
            rows_[i * cells_.size() + c] =
                static_cast<std::uint32_t>(offset + pack_code(cells_[c], columns_, codes, m, i));
        offset += cells_[c].codes;
    }
    histogram_.assign(static_cast<std::size_t>(offset), 0);
}

NodeCounter::Source NodeCounter::make_base(const std::vector<std::int32_t>& codes,
                                           std::vector<std::int64_t> records) {
    const std::size_t m = records.size();
    Source base{std::move(records), std::vector<std::uint32_t>(chunks_.size() * m),
                std::vector<std::int32_t>(m + 1), std::vector<std::int32_t>(m)};
    std::iota(base.start.begin(), base.start.end(), 0);
    std::iota(base.tuples.begin(), base.tuples.end(), 0);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        for (std::size_t i = 0; i < m; ++i)
            base.chunk_codes[c * m + i] =
                static_cast<std::uint32_t>(pack_code(chunks_[c], columns_, codes, m, i));
    return base;
}

// The classes at every level combination of these few columns (others at level 0) are kept. Columns
// whose records spread over many leaves merge most tuples when they are generalised.
void NodeCounter::choose_early_columns(const std::vector<std::int32_t>& codes) {
    const std::vector<std::int64_t>& records = sources_.at(Levels{}).records;
    const std::size_t m = records.size();
    std::vector<std::pair<double, std::size_t>> spread;  // minus the entropy, column
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (columns_[j].height() == 0) continue;
        std::vector<double> leaf(static_cast<std::size_t>(columns_[j].codes), 0);
        for (std::size_t i = 0; i < m; ++i)
            leaf[static_cast<std::size_t>(codes[j * m + i])] += static_cast<double>(records[i]);
        double sum = 0;
        for (double count : leaf) sum += count > 0 ? count * std::log(count) : 0;
        spread.emplace_back(sum, j);
    }
    std::sort(spread.begin(), spread.end());
    const std::size_t affordable =
        std::min(kKeptSources, kKeptTuples / std::max<std::size_t>(1, m));
    std::size_t combinations = 1;
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
    for (std::size_t j : early_) {
        key.push_back(levels[j]);
        at[j] = levels[j];
        if (levels[j] == 0) continue;  // merges nothing: the finer source serves as it is
        auto found = sources_.find(key);
        if (found == sources_.end()) {
            if (!wanted_.insert(key).second)  // asked for a second time: it will be again
                found = sources_.emplace(key, roll_up(*finer, at)).first;
            else
                continue;
        }
        finer = &found->second;
    }
    return *finer;
}

NodeCounter::Source NodeCounter::roll_up(const Source& finer, const Levels& levels) {
    classify(finer, levels, nullptr);
    const std::size_t classes = sizes_.size(), items = finer.size();
    Source result{sizes_, std::vector<std::uint32_t>(chunks_.size() * classes),
                  std::vector<std::int32_t>(classes + 1, 0),
                  std::vector<std::int32_t>(finer.tuples.size())};
    for (std::size_t i = 0; i < items; ++i) {
        const auto at = static_cast<std::size_t>(class_of_[i]);
        result.start[at + 1] += finer.start[i + 1] - finer.start[i];
    }
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        for (std::size_t i = 0; i < items; ++i)
            result.chunk_codes[c * classes + static_cast<std::size_t>(class_of_[i])] =
                finer.chunk_codes[c * items + i];
    std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
    std::vector<std::int32_t> next(result.start.begin(), result.start.end() - 1);
    for (std::size_t i = 0; i < items; ++i) {
        std::int32_t& into = next[static_cast<std::size_t>(class_of_[i])];
        for (std::int32_t t = finer.start[i]; t < finer.start[i + 1]; ++t)
            result.tuples[static_cast<std::size_t>(into++)] =
                finer.tuples[static_cast<std::size_t>(t)];
    }
    return result;
}

void NodeCounter::classify(const Source& source, const Levels& levels, const std::uint8_t* dead) {
    number_classes(source, levels);
    const std::size_t items = source.size();
    const std::int32_t* class_of = class_of_.data();
    const std::int64_t* records = source.records.data();
    std::int64_t* sizes = sizes_.data();
    if (dead == nullptr) {
        for (std::size_t i = 0; i < items; ++i) sizes[class_of[i]] += records[i];
    } else {
        for (std::size_t i = 0; i < items; ++i) sizes[class_of[i]] += dead[i] ? 0 : records[i];
    }
}

// Packs each item into a mixed-radix key and numbers the keys; sizes_ becomes zeros.
void NodeCounter::number_classes(const Source& source, const Levels& levels) {
    const std::size_t items = source.size();
    std::uint64_t key_space = 1;
    std::fill_n(keys_.begin(), items, 0);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        const std::uint64_t size = pack_size(chunks_[c], columns_, levels);
        if (size == 1) continue;
        if (key_space >
            (kKeyLimit - 1) / size) {  // a stage is full: its classes are the next digit
            numbering_.number(keys_.data(), items, key_space, class_of_.data());
            for (std::size_t i = 0; i < items; ++i)
                keys_[i] = static_cast<std::uint64_t>(class_of_[i]);
            key_space = items;
        }
        const std::uint32_t* table = pack_keys(chunks_[c], columns_, levels).data();
        const std::uint32_t* codes = source.chunk_codes.data() + c * items;
        std::uint64_t* keys = keys_.data();
        for (std::size_t i = 0; i < items; ++i) keys[i] += key_space * table[codes[i]];
        key_space *= size;
    }
    const std::int32_t classes =
        numbering_.number(keys_.data(), items, key_space, class_of_.data());
    sizes_.assign(static_cast<std::size_t>(classes), 0);
}

// The least fixed point over all requirements: suppressing for one shrinks another's classes.
std::int64_t NodeCounter::suppress(const Source& source, const Levels& levels, std::int64_t limit) {
    const std::size_t items = source.size();
    std::fill_n(dead_.begin(), items, 0);
    std::int64_t suppressed = 0;
    for (std::size_t settled = 0; settled < requirements_.size();) {
        for (const MinimumSize& requirement : requirements_) {
            Levels seen = levels;  // columns it does not cover are one value to it
            for (std::size_t j = 0; j < columns_.size(); ++j)
                if (!requirement.covers[j]) seen[j] = columns_[j].height();
            classify(source, seen, suppressed ? dead_.data() : nullptr);
            std::int64_t falling = 0;
            for (std::int64_t size : sizes_) falling += size < requirement.size ? size : 0;
            settled = falling ? 1 : settled + 1;
            suppressed += falling;
            // Beyond the limit nobody asks which records fall, unless other requirements follow.
            if (falling && (suppressed <= limit || requirements_.size() > 1))
                for (std::size_t i = 0; i < items; ++i)
                    dead_[i] |= sizes_[static_cast<std::size_t>(class_of_[i])] < requirement.size;
            if (settled == requirements_.size()) break;
        }
    }
    return suppressed;
}

std::vector<std::int64_t> NodeCounter::excess_of(const Source& source,
                                                 const std::vector<std::uint8_t>& dead) {
    std::vector<std::int32_t>& fallen = class_of_;  // no longer needed
    std::size_t count = 0;
    for (std::size_t i = 0; i < source.size();
         ++i) {  // no branch: which ones fall is hard to guess
        fallen[count] = static_cast<std::int32_t>(i);
        count += dead[i];
    }
    const std::int64_t* base_records = sources_.at(Levels{}).records.data();
    const std::size_t width = cells_.size();
    std::int64_t* histogram = histogram_.data();
    for (std::size_t f = 0; f < count; ++f) {
        const auto i = static_cast<std::size_t>(fallen[f]);
        for (std::int32_t t = source.start[i]; t < source.start[i + 1]; ++t) {
            const auto tuple = static_cast<std::size_t>(source.tuples[static_cast<std::size_t>(t)]);
            const std::uint32_t* row = rows_.data() + tuple * width;
            for (std::size_t c = 0; c < width; ++c) histogram[row[c]] += base_records[tuple];
        }
    }
    return excess_of_histogram();
}

// Sums the histogram over packed cells into one per column and level, and clears it.
std::vector<std::int64_t> NodeCounter::excess_of_histogram() {
    std::vector<std::int64_t> sums(slots_, 0);
    std::int64_t* cell = histogram_.data();
    for (const Pack& pack : cells_)
        for (std::int64_t code = 0; code < pack.codes; ++code, ++cell) {
            if (*cell == 0) continue;
            std::int64_t rest = code;
            for (auto j = pack.columns.rbegin(); j != pack.columns.rend(); ++j) {
                const LatticeColumn& column = columns_[*j];
                const auto leaf = static_cast<std::size_t>(rest % column.codes);
                rest /= column.codes;
                for (std::size_t level = 0; level < column.node.size(); ++level)
                    sums[column.slot + level] += *cell * column.excess[level][leaf];
            }
            *cell = 0;
        }
    return sums;
}

void NodeCounter::fill_classes(const Source& source, const Levels& levels,
                               const std::vector<std::uint8_t>& dead, NodeCount& result) {
    classify(source, levels, nullptr);
    for (std::int64_t size : sizes_) {
        ++result.all_classes;
        result.all_squares += size * size;
        result.floor_squares += size * std::max(size, smallest_kept_);
    }
    classify(source, levels, dead.data());
    result.smallest = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t size : sizes_) {
        if (size == 0) continue;
        ++result.classes;
        result.squares += size * size;
        result.smallest = std::min(result.smallest, size);
    }
    if (result.classes == 0) result.smallest = 0;
}

NodeCount NodeCounter::count(const Levels& levels, bool with_classes, std::int64_t limit) {
    if (judge_) return judged(levels, with_classes, limit);
    const Source& source = source_for(levels);
    NodeCount result;
    result.suppressed = result.certain = suppress(source, levels, with_classes ? records_ : limit);
    if (result.suppressed <= limit) {
        result.excess = excess_of(source, dead_);
        result.certain_excess = result.excess;
    }
    if (with_classes) fill_classes(source, levels, dead_, result);
    return result;
}

NodeCount NodeCounter::judged(const Levels& levels, bool with_classes, std::int64_t limit) {
    const Source& base = sources_.at(Levels{});
    std::vector<std::uint8_t> suppressed(base.size(), 0), certain(base.size(), 0);
    judge_(levels, suppressed, certain);
    NodeCount result;
    for (std::size_t i = 0; i < base.size(); ++i) {
        if (suppressed[i]) result.suppressed += base.records[i];
        if (certain[i]) result.certain += base.records[i];
    }
    if (result.suppressed <= limit) result.excess = excess_of(base, suppressed);
    if (result.certain <= limit) result.certain_excess = excess_of(base, certain);
    if (with_classes) fill_classes(base, levels, suppressed, result);
    return result;
}

std::vector<std::int64_t> NodeCounter::class_sizes(const Levels& levels) {
    classify(source_for(levels), levels, nullptr);
    return sizes_;
}

}  // namespace incrowd
