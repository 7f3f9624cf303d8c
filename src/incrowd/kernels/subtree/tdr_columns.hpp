// One column under top-down refinement: the values it shows, what each could be refined into, and
// the information that this would give.  Twin: tests/naive/tdr.py.
//
// A global recoding shows each code as one value wherever it occurs, so the records that show a
// value are all records with its codes: how often each class occurs with each code, counted once,
// is all that information gains need.  No tuple is looked at for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "core/ties.hpp"
#include "subtree/tdr.hpp"

namespace incrowd::refinement {
// n log2 n in multiples of 2^-50.  Sums of them are exact, in whatever order they are taken.
using Bits = __int128;

// The weight n log2 n of a count; of small counts it is worked out once.
class Weights {
  public:
    explicit Weights(int64_t records) : known_(std::min<int64_t>(records + 1, 1 << 20), 0) {}

    Bits operator()(int64_t count) {
        if (count < 2) return 0;
        if (static_cast<size_t>(count) >= known_.size()) return worked_out(count);
        Bits& known = known_[count];
        if (!known) known = worked_out(count);
        return known;
    }

    // What is only rounding tells nothing.
    static double in_bits(Bits sum, int64_t records) {
        const double bits = static_cast<double>(sum) / kUnit / static_cast<double>(records);
        return bits > kTie ? bits : 0.0;
    }

  private:
    static constexpr double kUnit = 0x1p50;

    static Bits worked_out(int64_t count) {
        const auto n = static_cast<double>(count);
        return static_cast<Bits>(n * std::log2(n) * kUnit);
    }

    std::vector<Bits> known_;  // 0 if it is not
};

// What the search reports: nodes of a taxonomy, first codes of intervals, disclosed codes.
struct Refined {
    int32_t value, split;  // split: where an interval is cut, or -1
};

class Column {
  public:
    Column(ColumnParts parts, size_t n_classes, bool by_classes, int64_t least_part,
           Weights& weights)
        : kind_(parts.kind), by_classes_(by_classes), least_part_(least_part),
          n_plain_(parts.n_plain), taxonomy_(std::move(parts.taxonomy)),
          may_begin_(std::move(parts.may_begin)), margin_(std::move(parts.margin)),
          weights_(&weights), value_of_(margin_.records.size(), 0),
          child_of_(margin_.records.size(), 0), tally_(n_classes, 0), rest_(n_classes, 0) {
        if (kind_ == Kind::disclosure) {
            suppress_all();
            return;
        }
        const auto root = static_cast<int32_t>(taxonomy_.span.size()) - 1;
        candidates_ = {add({0, static_cast<int32_t>(n_codes())}, root)};
        if (kind_ == Kind::taxonomy) first_gain_ = gain_[0];
    }

    // Of the column as a whole, whether or not it may be cut there; disclosures have none.
    double first_gain() const { return first_gain_; }
    int32_t first_split() const { return first_split_; }

    Kind kind() const { return kind_; }
    size_t n_codes() const { return value_of_.size(); }

    // Candidates: the values shown, or the suppressed codes; in leaf order.
    const std::vector<int32_t>& candidates() const { return candidates_; }
    size_t n_candidates() const { return gain_.size(); }  // so far
    bool is_open(int32_t candidate) const { return open_[candidate]; }
    double gain(int32_t candidate) const {
        return kind_ == Kind::disclosure ? profile_gain_[profile_of_[candidate]] : gain_[candidate];
    }

    // Whether an open candidate tells something; by classes, whether those it refines are several.
    // Of suppressed codes the rest must stay: the last one's disclosure would divide no records.
    bool is_beneficial(int32_t candidate) const {
        if (!by_classes_) return gain(candidate) > 0.0;
        if (kind_ != Kind::disclosure) return true;  // or it would not be open
        return suppressed_classes_ > 1 && margin_.records[candidate] < suppressed_records_;
    }

    void close(int32_t candidate) {
        n_open_ -= open_[candidate] != 0;
        open_[candidate] = 0;
    }

    void close_all() {
        for (const int32_t candidate : candidates_) close(candidate);
    }

    void forget_closed() {
        std::erase_if(candidates_, [this](int32_t candidate) { return !is_open(candidate); });
    }

    // A value shown that must be refined before anything else, or -1.
    int32_t required() const {
        const auto found = std::ranges::find_if(
            candidates_, [this](int32_t each) { return is_open(each) && must_refine(each); });
        return found == candidates_.end() ? -1 : *found;
    }

    // The value that a code shows; for suppressed codes 0, for disclosed ones -1.
    int32_t value_of(int32_t code) const { return value_of_[code]; }

    bool may_change(int32_t value) const {
        return kind_ == Kind::disclosure ? value == 0 && n_open_ > 0 : is_open(value);
    }

    // The child of its value that a code belongs to; a suppressed code is a child by itself.
    const int32_t* child_of() const { return child_of_.data(); }

    size_t n_children(int32_t candidate) const {
        return kind_ == Kind::disclosure ? 2 : values_[candidate].children.size();
    }

    Refined refine(int32_t candidate) {
        const auto place = std::ranges::find(candidates_, candidate);
        close(candidate);
        if (kind_ == Kind::disclosure) {
            candidates_.erase(place);
            value_of_[candidate] = -1;
            change_suppressed(candidate, -1);
            score_suppressed();
            return {candidate, -1};
        }
        const Value refined = values_[candidate];  // a copy: adding values moves them
        std::vector<int32_t> added;
        for (size_t i = 0; i < refined.children.size(); ++i) {
            int32_t node = -1;
            if (refined.node >= 0) node = taxonomy_.child[taxonomy_.start[refined.node] + i];
            added.push_back(add(refined.children[i], node));
        }
        const auto after = candidates_.erase(place);
        candidates_.insert(after, added.begin(), added.end());
        return {refined.node < 0 ? refined.span.low : refined.node, refined.split};
    }

  private:
    struct Value {
        Span span;
        int32_t node;  // -1 in intervals
        int32_t split;
        std::vector<Span> children;
    };

    bool must_refine(int32_t candidate) const {
        return kind_ == Kind::taxonomy && taxonomy_.must[values_[candidate].node];
    }

    int32_t add(Span span, int32_t node) {
        const auto id = static_cast<int32_t>(values_.size());
        int32_t split = -1;
        std::vector<Span> children =
            kind_ == Kind::taxonomy ? children_in_tree(node) : children_of_interval(span, split);
        for (int32_t code = span.low; code < span.high; ++code) value_of_[code] = id;
        for (size_t i = 0; i < children.size(); ++i)
            for (int32_t code = children[i].low; code < children[i].high; ++code)
                child_of_[code] = static_cast<int32_t>(i);
        gain_.push_back(children.size() > 1 ? gain_of(span, children) : 0.0);
        const bool must = kind_ == Kind::taxonomy && taxonomy_.must[node];
        open_.push_back(children.size() > 1 &&
                        (must || (by_classes_ ? holds_several_classes(span) : gain_.back() > 0.0)));
        n_open_ += open_.back() != 0;
        values_.push_back({span, node, split, std::move(children)});
        return id;
    }

    std::vector<Span> children_in_tree(int32_t node) const {
        std::vector<Span> children;
        for (int32_t i = taxonomy_.start[node]; i < taxonomy_.stop[node]; ++i)
            children.push_back(taxonomy_.span[taxonomy_.child[i]]);
        return children;
    }

    // Missing cells are no numbers: they leave the interval of all numbers when it is first cut.
    std::vector<Span> children_of_interval(Span span, int32_t& split) {
        const Span numbers{span.low, std::min(span.high, n_plain_)};
        std::vector<Span> children;
        double gain = 0.0;
        split = best_split(numbers, gain);
        if (values_.empty()) first_split_ = split, first_gain_ = gain;
        if (split >= 0 && !may_begin_[split])
            split = -1;  // no other is looked for: none is allowed
        if (split >= 0) {
            children = {{numbers.low, split}, {split, numbers.high}};
        } else if (occurs(numbers)) {
            children = {numbers};
        }
        for (int32_t code = std::max(span.low, n_plain_); code < span.high; ++code)
            if (occurs({code, code + 1})) children.push_back({code, code + 1});
        return children;
    }

    // The split of most information gain, whatever it does to anonymity; of equal ones the first.
    int32_t best_split(Span span, double& most) {
        std::vector<int32_t> seen;
        int64_t below = 0, above = 0;
        Bits below_weights = 0, above_weights = 0;
        for (size_t i = margin_.start[span.low]; i < margin_.start[span.high]; ++i) {
            const int32_t each = margin_.class_of[i];
            if (!rest_[each]) seen.push_back(each);
            rest_[each] += margin_.count[i];
            above += margin_.count[i];
        }
        for (const int32_t each : seen) above_weights += weight(rest_[each]);
        const int64_t records = above;
        const Bits before = weight(records) - above_weights;
        int32_t best = -1;
        for (int32_t code = span.low; code < span.high; ++code) {
            if (!margin_.records[code]) continue;
            if (below >= least_part_ && above >= least_part_) {
                const Bits after = weight(below) - below_weights + weight(above) - above_weights;
                const double gain = Weights::in_bits(before - after, records);
                if (best < 0 || gain - most > kTie * most) best = code, most = std::max(gain, 0.0);
            }
            for (size_t i = margin_.start[code]; i < margin_.start[code + 1]; ++i) {
                int64_t& left = tally_[margin_.class_of[i]];
                int64_t& right = rest_[margin_.class_of[i]];
                below_weights += weight(left + margin_.count[i]) - weight(left);
                above_weights += weight(right - margin_.count[i]) - weight(right);
                left += margin_.count[i];
                right -= margin_.count[i];
            }
            below += margin_.records[code];
            above -= margin_.records[code];
        }
        for (const int32_t each : seen) tally_[each] = 0;
        return best;
    }

    Bits weight(int64_t count) { return (*weights_)(count); }

    bool holds_several_classes(Span span) const {
        const auto first = margin_.class_of.begin() + margin_.start[span.low];
        const auto last = margin_.class_of.begin() + margin_.start[span.high];
        return std::adjacent_find(first, last, std::not_equal_to<>()) != last;
    }

    bool occurs(Span span) const { return records_in(span) > 0; }

    int64_t records_in(Span span) const {
        int64_t sum = 0;
        for (int32_t code = span.low; code < span.high; ++code) sum += margin_.records[code];
        return sum;
    }

    // Records times the entropy of their classes.
    Bits uncertainty(Span span) {
        const size_t first = margin_.start[span.low], last = margin_.start[span.high];
        for (size_t i = first; i < last; ++i) tally_[margin_.class_of[i]] += margin_.count[i];
        Bits sum = weight(records_in(span));
        for (size_t i = first; i < last; ++i) {
            sum -= weight(tally_[margin_.class_of[i]]);
            tally_[margin_.class_of[i]] = 0;
        }
        return sum;
    }

    double gain_of(Span span, const std::vector<Span>& children) {
        Bits sum = uncertainty(span);
        for (const Span& child : children) sum -= uncertainty(child);
        return Weights::in_bits(sum, records_in(span));
    }

    // Every code is suppressed at first; what no leaf stands for always is.
    void suppress_all() {
        gain_.assign(n_codes(), 0.0);
        open_.assign(n_codes(), 0);
        own_uncertainty_.assign(n_codes(), 0);
        suppressed_.assign(tally_.size(), 0);
        for (int32_t code = 0; code < static_cast<int32_t>(n_codes()); ++code) {
            child_of_[code] = code;
            own_uncertainty_[code] = uncertainty({code, code + 1});
            change_suppressed(code, 1);
            if (code >= n_plain_ || !margin_.records[code]) continue;
            candidates_.push_back(code);
            open_[code] = 1;
            ++n_open_;
        }
        find_profiles();
        score_suppressed();
    }

    void change_suppressed(int32_t code, int64_t sign) {
        for (size_t i = margin_.start[code]; i < margin_.start[code + 1]; ++i) {
            int64_t& count = suppressed_[margin_.class_of[i]];
            suppressed_weights_ -= weight(count);
            suppressed_classes_ -= count > 0;
            count += sign * margin_.count[i];
            suppressed_classes_ += count > 0;
            suppressed_weights_ += weight(count);
        }
        suppressed_records_ += sign * margin_.records[code];
    }

    // Codes that occur equally often with each class have one profile, and tell the same.
    void find_profiles() {
        std::map<std::vector<std::pair<int32_t, int64_t>>, int32_t> known;
        std::vector<std::pair<int32_t, int64_t>> own;
        profile_of_.assign(n_codes(), 0);
        for (const int32_t code : candidates_) {
            own.clear();
            for (size_t i = margin_.start[code]; i < margin_.start[code + 1]; ++i)
                own.emplace_back(margin_.class_of[i], margin_.count[i]);
            std::ranges::sort(own);
            const auto next = static_cast<int32_t>(known.size());
            profile_of_[code] = known.try_emplace(own, next).first->second;
            if (known.size() > profile_code_.size()) profile_code_.push_back(code);
        }
        profile_gain_.assign(std::max<size_t>(1, profile_code_.size()), 0.0);
    }

    // A disclosure changes what the disclosure of any other suppressed code would tell.
    void score_suppressed() {
        const Bits before = weight(suppressed_records_) - suppressed_weights_;
        for (size_t profile = 0; profile < profile_code_.size(); ++profile) {
            const int32_t code = profile_code_[profile];
            if (margin_.records[code] > suppressed_records_) continue;  // all of them are disclosed
            Bits after = own_uncertainty_[code] +
                         weight(suppressed_records_ - margin_.records[code]) - suppressed_weights_;
            for (size_t i = margin_.start[code]; i < margin_.start[code + 1]; ++i) {
                const int64_t count = suppressed_[margin_.class_of[i]];
                after += weight(count) - weight(count - margin_.count[i]);
            }
            profile_gain_[profile] = Weights::in_bits(before - after, suppressed_records_);
        }
    }

    Kind kind_;
    bool by_classes_;
    int64_t least_part_;
    int32_t n_plain_;
    int32_t first_split_ = -1;
    double first_gain_ = 0.0;
    Taxonomy taxonomy_;
    std::vector<int32_t> may_begin_;  // by code below n_plain_, in intervals
    Margin margin_;
    Weights* weights_;
    std::vector<Value> values_;
    std::vector<int32_t> value_of_, child_of_;  // by code
    std::vector<int32_t> candidates_;
    std::vector<double> gain_;  // by candidate
    std::vector<char> open_;
    size_t n_open_ = 0;
    std::vector<int64_t> tally_, rest_;  // by class; all 0 between calls
    // Of the suppressed codes, if the column discloses them.
    std::vector<int64_t> suppressed_;                 // by class
    std::vector<Bits> own_uncertainty_;               // by code
    std::vector<int32_t> profile_of_, profile_code_;  // by code; by profile: one of its codes
    std::vector<double> profile_gain_;
    int64_t suppressed_records_ = 0;
    int32_t suppressed_classes_ = 0;
    Bits suppressed_weights_ = 0;  // n log2 n of `suppressed_`, summed
};
}  // namespace incrowd::refinement
