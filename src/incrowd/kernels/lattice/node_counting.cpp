#include "lattice/node_counting.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "requirements/diversity.hpp"

namespace incrowd {
namespace {
constexpr int64_t kChunkCodes = 8192;  // a look-up table stays in the first-level cache
}  // namespace

NodeCounter::NodeCounter(std::span<const int32_t> codes, std::span<const int64_t> records,
                         std::vector<LatticeColumn> columns, const Requirements& requirements,
                         bool masks, Judge judge)
    : columns_(std::move(columns)), requirements_(requirements), masks_(masks),
      judge_(std::move(judge)), sample_(codes, records, columns_.size()) {
    const size_t d = columns_.size(), m = records.size();
    if (m > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        throw std::invalid_argument("NodeCounter: more than 2^31 - 1 tuples");
    for (size_t j = 0; j < d; ++j) {
        columns_[j].slot = slots_;
        slots_ += columns_[j].node.size();
        for (size_t i = 0; i < m; ++i)
            if (codes[j * m + i] < 0 || codes[j * m + i] >= columns_[j].codes)
                throw std::invalid_argument("NodeCounter: a code is out of range");
    }
    records_ = std::accumulate(records.begin(), records.end(), int64_t{0});
    largest_suppressed_ = judge_ || !requirements_.only_sizes() ? records_ : 0;
    for (const Asked& each : requirements_.asked()) {
        falls_apart_ &= each.form->falls_apart() && !requirements_.knows_parts(each);
        const auto* size = dynamic_cast<const MinimumSize*>(each.form.get());
        if (size == nullptr) continue;
        const std::vector<uint8_t>& covers = requirements_.views()[static_cast<size_t>(each.view)];
        if (requirements_.only_sizes()) sizes_asked_.push_back({covers, size->least()});
        largest_suppressed_ = std::max(largest_suppressed_, size->least() - 1);
        if (std::ranges::all_of(covers, [](auto c) { return c != 0; }))
            smallest_kept_ = std::max(smallest_kept_, size->least());
    }
    keys_.resize(m);
    class_of_.resize(m);
    dead_.resize(m);
    for (Pack& pack : packed(columns_, kChunkCodes))
        chunks_.emplace_back(std::move(pack), columns_, codes, m);
    excess_.emplace(columns_, codes, records);
    sources_.emplace(Levels{}, make_base(records));
    choose_early_columns(codes);
}

Levels NodeCounter::top() const {
    Levels levels;
    for (const LatticeColumn& column : columns_) levels.push_back(column.last);
    return levels;
}

Levels NodeCounter::seen(const Levels& levels, const std::vector<uint8_t>& covers) const {
    Levels found = levels;
    for (size_t j = 0; j < columns_.size(); ++j)
        if (!covers[j]) found[j] = columns_[j].height();
    return found;
}

// Marks the living items of classes that are too small; returns how many records these are.  No
// branches: which ones fall is hard to guess.
int64_t NodeCounter::let_fall(const Source& source, int64_t least, bool all_live) {
    const int64_t* records = source.records.data();
    const int64_t* sizes = sizes_.data();
    const int32_t* class_of = class_of_.data();
    uint8_t* dead = dead_.data();
    int64_t falling = 0;
    if (all_live) {
        for (size_t i = 0, items = source.size(); i < items; ++i) {
            const bool falls = sizes[class_of[i]] < least;
            falling += records[i] & -int64_t{falls};
            dead[i] = falls;
        }
    } else {
        for (size_t i = 0, items = source.size(); i < items; ++i) {
            const bool falls = (sizes[class_of[i]] < least) & !dead[i];
            falling += records[i] & -int64_t{falls};
            dead[i] |= falls;
        }
    }
    return falling;
}

// The least fixed point over all sizes: suppressing for one requirement shrinks another's classes.
int64_t NodeCounter::suppress(const Source& source, const Levels& levels) {
    int64_t suppressed = 0;
    for (size_t settled = 0; settled < sizes_asked_.size();) {
        for (const LeastSize& requirement : sizes_asked_) {
            add_up(source, seen(levels, requirement.covers), suppressed ? dead_.data() : nullptr);
            const int64_t falling = let_fall(source, requirement.size, suppressed == 0);
            settled = falling ? 1 : settled + 1;
            suppressed += falling;
            if (settled == sizes_asked_.size()) break;
        }
    }
    if (sizes_asked_.empty()) std::fill_n(dead_.begin(), source.size(), 0);
    return suppressed;
}

void NodeCounter::fill_classes(const Source& source, const Levels& levels,
                               const std::vector<uint8_t>& dead, NodeCount& result) {
    const auto classes = static_cast<size_t>(number_classes(source, levels));
    std::vector<int64_t> all(classes, 0), kept(classes, 0);
    for (size_t i = 0; i < source.size(); ++i) {
        all[class_of_[i]] += source.records[i];
        kept[class_of_[i]] += dead[i] ? 0 : source.records[i];
    }
    for (const int64_t size : all) {
        ++result.all_classes;
        result.all_squares += size * size;
        result.floor_squares += size * std::max(size, smallest_kept_);
    }
    result.smallest = std::numeric_limits<int64_t>::max();
    for (const int64_t size : kept) {
        if (size == 0) continue;
        ++result.classes;
        result.squares += size * size;
        result.smallest = std::min(result.smallest, size);
    }
    if (result.classes == 0) result.smallest = 0;
}

NodeCount NodeCounter::count(const Levels& levels, bool with_classes, int64_t limit) {
    if (judge_) return judged(levels, with_classes, limit);
    if (!requirements_.only_sizes()) return asked(levels, with_classes, limit);
    const Source& source = source_for(levels);
    NodeCount result;
    result.suppressed = result.certain = suppress(source, levels);
    if (result.suppressed <= limit) {
        result.excess = excess_->of(source, dead_);
        result.certain_excess = result.excess;
    }
    if (with_classes) fill_classes(source, levels, dead_, result);
    return result;
}

// What falls at a node, and what falls at every node below it.  Where more than `limit` certainly
// fall, nobody needs to know what else does, unless `all` is asked for.
Fallen NodeCounter::fallen_at(const Source& source, const Levels& levels, bool all, int64_t limit) {
    std::vector<View> views;
    for (const std::vector<uint8_t>& covers : requirements_.views()) {
        const int32_t classes = number_classes(source, seen(levels, covers));
        const auto items = static_cast<std::ptrdiff_t>(source.size());
        views.push_back(
            {{class_of_.begin(), class_of_.begin() + items}, classes, classes == 1 ? 0 : -1});
    }
    Suppression suppression(requirements_, {source.records, source.kind}, std::move(views), masks_);
    Fallen sure;
    if (!falls_apart_) suppression.find_certain(limit, sure);
    if (sure.certain > limit && !all) {
        sure.records = sure.certain;
        return sure;
    }
    Fallen fallen = suppression.run(all ? records_ : limit);
    fallen.certain = falls_apart_ ? fallen.records : sure.certain;
    fallen.certain_items = falls_apart_ ? fallen.items : std::move(sure.certain_items);
    return fallen;
}

NodeCount NodeCounter::asked(const Levels& levels, bool with_classes, int64_t limit) {
    const Source& source = source_for(levels);
    const Fallen fallen = fallen_at(source, levels, with_classes, limit);
    NodeCount result;
    result.suppressed = fallen.records;
    result.certain = fallen.certain;
    if (result.suppressed <= limit) result.excess = excess_->of(source, fallen.items);
    if (result.certain <= limit)
        result.certain_excess =
            falls_apart_ ? result.excess : excess_->of(source, fallen.certain_items);
    if (with_classes) fill_classes(source, levels, fallen.items, result);
    return result;
}

NodeCount NodeCounter::judged(const Levels& levels, bool with_classes, int64_t limit) {
    const Source& base = sources_.at(Levels{});
    std::vector<uint8_t> suppressed(base.size(), 0), certain(base.size(), 0);
    judge_(levels, suppressed, certain);
    NodeCount result;
    for (size_t i = 0; i < base.size(); ++i) {
        if (suppressed[i]) result.suppressed += base.records[i];
        if (certain[i]) result.certain += base.records[i];
    }
    if (result.suppressed <= limit) result.excess = excess_->of(base, suppressed);
    if (result.certain <= limit) result.certain_excess = excess_->of(base, certain);
    if (with_classes) fill_classes(base, levels, suppressed, result);
    return result;
}

std::vector<int64_t> NodeCounter::class_sizes(const Levels& levels) {
    const Source& source = source_for(levels);
    std::vector<int64_t> sizes(static_cast<size_t>(number_classes(source, levels)), 0);
    for (size_t i = 0; i < source.size(); ++i) sizes[class_of_[i]] += source.records[i];
    return sizes;
}
}  // namespace incrowd
