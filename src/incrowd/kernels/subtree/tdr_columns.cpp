#include "subtree/tdr_columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace incrowd::refinement {

namespace {

constexpr double kUnit = 1125899906842624.0;  // 2^50
constexpr double kEqual = 1e-12;
constexpr std::int64_t kMostKnown = 1 << 20;

// What is only rounding tells nothing.
double in_bits(Bits sum, std::int64_t records) {
    const double bits = static_cast<double>(sum) / kUnit / static_cast<double>(records);
    return bits > kEqual ? bits : 0.0;
}

}  // namespace

Weights::Weights(std::int64_t records)
    : known_(static_cast<std::size_t>(std::min(records + 1, kMostKnown)), 0) {}

Bits Weights::worked_out(std::int64_t count) {
    const auto n = static_cast<double>(count);
    return static_cast<Bits>(n * std::log2(n) * kUnit);
}

Column::Column(Kind kind, std::int32_t n_plain, Taxonomy taxonomy,
               std::vector<std::int32_t> may_begin, Margin margin, std::size_t n_classes,
               bool by_classes, Weights& weights)
    : kind_(kind),
      by_classes_(by_classes),
      n_plain_(n_plain),
      taxonomy_(std::move(taxonomy)),
      may_begin_(std::move(may_begin)),
      margin_(std::move(margin)),
      weights_(&weights),
      value_of_(margin_.records.size(), 0),
      child_of_(margin_.records.size(), 0),
      tally_(n_classes, 0),
      rest_(n_classes, 0) {
    if (kind == Kind::disclosure) {
        suppress_all();
        return;
    }
    const auto root = static_cast<std::int32_t>(taxonomy_.span.size()) - 1;
    candidates_ = {add({0, static_cast<std::int32_t>(n_codes())}, root)};
}

void Column::close(std::int32_t candidate) {
    n_open_ -= open_[at(candidate)] != 0;
    open_[at(candidate)] = 0;
}

void Column::close_all() {
    for (const std::int32_t candidate : candidates_) close(candidate);
}

void Column::forget_closed() {
    std::erase_if(candidates_, [this](std::int32_t candidate) { return !is_open(candidate); });
}

// Of suppressed codes the rest must stay: the last one's disclosure would divide no records.
bool Column::is_beneficial(std::int32_t candidate) const {
    if (!by_classes_) return gain(candidate) > 0.0;
    if (kind_ != Kind::disclosure) return true;  // or it would not be open
    return suppressed_classes_ > 1 && margin_.records[at(candidate)] < suppressed_records_;
}

bool Column::may_change(std::int32_t value) const {
    return kind_ == Kind::disclosure ? value == 0 && n_open_ > 0 : is_open(value);
}

std::size_t Column::n_children(std::int32_t candidate) const {
    return kind_ == Kind::disclosure ? 2 : values_[at(candidate)].children.size();
}

Refined Column::refine(std::int32_t candidate) {
    const auto place = std::find(candidates_.begin(), candidates_.end(), candidate);
    close(candidate);
    if (kind_ == Kind::disclosure) {
        candidates_.erase(place);
        value_of_[at(candidate)] = -1;
        change_suppressed(candidate, -1);
        score_suppressed();
        return {candidate, -1};
    }
    const Value refined = values_[at(candidate)];  // a copy: adding values moves them
    std::vector<std::int32_t> added;
    for (std::size_t i = 0; i < refined.children.size(); ++i) {
        std::int32_t node = -1;
        if (refined.node >= 0) node = taxonomy_.child[at(taxonomy_.start[at(refined.node)]) + i];
        added.push_back(add(refined.children[i], node));
    }
    const auto after = candidates_.erase(place);
    candidates_.insert(after, added.begin(), added.end());
    return {refined.node < 0 ? refined.span.low : refined.node, refined.split};
}

std::int32_t Column::add(Span span, std::int32_t node) {
    const auto id = static_cast<std::int32_t>(values_.size());
    std::int32_t split = -1;
    std::vector<Span> children =
        kind_ == Kind::taxonomy ? children_in_tree(node) : children_of_interval(span, split);
    for (std::int32_t code = span.low; code < span.high; ++code) value_of_[at(code)] = id;
    for (std::size_t i = 0; i < children.size(); ++i)
        for (std::int32_t code = children[i].low; code < children[i].high; ++code)
            child_of_[at(code)] = static_cast<std::int32_t>(i);
    gain_.push_back(children.size() > 1 ? gain_of(span, children) : 0.0);
    open_.push_back(children.size() > 1 &&
                    (by_classes_ ? holds_several_classes(span) : gain_.back() > 0.0));
    n_open_ += open_.back() != 0;
    values_.push_back({span, node, split, std::move(children)});
    return id;
}

std::vector<Span> Column::children_in_tree(std::int32_t node) const {
    std::vector<Span> children;
    for (std::int32_t i = taxonomy_.start[at(node)]; i < taxonomy_.stop[at(node)]; ++i)
        children.push_back(taxonomy_.span[at(taxonomy_.child[at(i)])]);
    return children;
}

// Missing cells are no numbers: they leave the interval of all numbers when it is first cut.
std::vector<Span> Column::children_of_interval(Span span, std::int32_t& split) {
    const Span numbers{span.low, std::min(span.high, n_plain_)};
    std::vector<Span> children;
    split = best_split(numbers);
    if (split >= 0 && !may_begin_[at(split)])
        split = -1;  // no other is looked for: none is allowed
    if (split >= 0) {
        children = {{numbers.low, split}, {split, numbers.high}};
    } else if (occurs(numbers)) {
        children = {numbers};
    }
    for (std::int32_t code = std::max(span.low, n_plain_); code < span.high; ++code)
        if (occurs({code, code + 1})) children.push_back({code, code + 1});
    return children;
}

// The split of most information gain, whatever it does to anonymity; of equal ones the first.
std::int32_t Column::best_split(Span span) {
    std::vector<std::int32_t> seen;
    std::int64_t below = 0, above = 0;
    Bits below_weights = 0, above_weights = 0;
    for (std::size_t i = margin_.start[at(span.low)]; i < margin_.start[at(span.high)]; ++i) {
        const std::int32_t each = margin_.class_of[i];
        if (!rest_[at(each)]) seen.push_back(each);
        rest_[at(each)] += margin_.count[i];
        above += margin_.count[i];
    }
    for (const std::int32_t each : seen) above_weights += weight(rest_[at(each)]);
    const std::int64_t records = above;
    const Bits before = weight(records) - above_weights;
    std::int32_t best = -1;
    double most = 0.0;
    for (std::int32_t code = span.low; code < span.high; ++code) {
        if (!margin_.records[at(code)]) continue;
        if (below) {
            const Bits after = weight(below) - below_weights + weight(above) - above_weights;
            const double gain = in_bits(before - after, records);
            if (best < 0 || gain - most > kEqual * most) best = code, most = std::max(gain, 0.0);
        }
        for (std::size_t i = margin_.start[at(code)]; i < margin_.start[at(code) + 1]; ++i) {
            std::int64_t& left = tally_[at(margin_.class_of[i])];
            std::int64_t& right = rest_[at(margin_.class_of[i])];
            below_weights += weight(left + margin_.count[i]) - weight(left);
            above_weights += weight(right - margin_.count[i]) - weight(right);
            left += margin_.count[i];
            right -= margin_.count[i];
        }
        below += margin_.records[at(code)];
        above -= margin_.records[at(code)];
    }
    for (const std::int32_t each : seen) tally_[at(each)] = 0;
    return best;
}

bool Column::holds_several_classes(Span span) const {
    const auto first =
        margin_.class_of.begin() + static_cast<std::ptrdiff_t>(margin_.start[at(span.low)]);
    const auto last =
        margin_.class_of.begin() + static_cast<std::ptrdiff_t>(margin_.start[at(span.high)]);
    return std::adjacent_find(first, last, std::not_equal_to<>()) != last;
}

bool Column::occurs(Span span) const { return records_in(span) > 0; }

std::int64_t Column::records_in(Span span) const {
    std::int64_t sum = 0;
    for (std::int32_t code = span.low; code < span.high; ++code) sum += margin_.records[at(code)];
    return sum;
}

// Records times the entropy of their classes.
Bits Column::uncertainty(Span span) {
    const std::size_t first = margin_.start[at(span.low)], last = margin_.start[at(span.high)];
    for (std::size_t i = first; i < last; ++i) tally_[at(margin_.class_of[i])] += margin_.count[i];
    Bits sum = weight(records_in(span));
    for (std::size_t i = first; i < last; ++i) {
        sum -= weight(tally_[at(margin_.class_of[i])]);
        tally_[at(margin_.class_of[i])] = 0;
    }
    return sum;
}

double Column::gain_of(Span span, const std::vector<Span>& children) {
    Bits sum = uncertainty(span);
    for (const Span& child : children) sum -= uncertainty(child);
    return in_bits(sum, records_in(span));
}

// Every code is suppressed at first; what no leaf stands for always is.
void Column::suppress_all() {
    gain_.assign(n_codes(), 0.0);
    open_.assign(n_codes(), 0);
    own_uncertainty_.assign(n_codes(), 0);
    suppressed_.assign(tally_.size(), 0);
    for (std::int32_t code = 0; code < static_cast<std::int32_t>(n_codes()); ++code) {
        child_of_[at(code)] = code;
        own_uncertainty_[at(code)] = uncertainty({code, code + 1});
        change_suppressed(code, 1);
        if (code >= n_plain_ || !margin_.records[at(code)]) continue;
        candidates_.push_back(code);
        open_[at(code)] = 1;
        ++n_open_;
    }
    score_suppressed();
}

void Column::change_suppressed(std::int32_t code, std::int64_t sign) {
    for (std::size_t i = margin_.start[at(code)]; i < margin_.start[at(code) + 1]; ++i) {
        std::int64_t& count = suppressed_[at(margin_.class_of[i])];
        suppressed_weights_ -= weight(count);
        suppressed_classes_ -= count > 0;
        count += sign * margin_.count[i];
        suppressed_classes_ += count > 0;
        suppressed_weights_ += weight(count);
    }
    suppressed_records_ += sign * margin_.records[at(code)];
}

// A disclosure changes what the disclosure of any other suppressed code would tell.
void Column::score_suppressed() {
    const Bits before = weight(suppressed_records_) - suppressed_weights_;
    for (const std::int32_t code : candidates_) {
        Bits after = own_uncertainty_[at(code)] +
                     weight(suppressed_records_ - margin_.records[at(code)]) - suppressed_weights_;
        for (std::size_t i = margin_.start[at(code)]; i < margin_.start[at(code) + 1]; ++i) {
            const std::int64_t count = suppressed_[at(margin_.class_of[i])];
            after += weight(count) - weight(count - margin_.count[i]);
        }
        gain_[at(code)] = in_bits(before - after, suppressed_records_);
    }
}

}  // namespace incrowd::refinement
