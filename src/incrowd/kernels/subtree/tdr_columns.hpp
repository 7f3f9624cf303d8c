// One column under top-down refinement: the values it shows, what each could be refined into, and
// the information that this would give.  Twin: tests/naive/tdr.py.
//
// A global recoding shows each code as one value wherever it occurs, so the records that show a
// value are all records with its codes: how often each class occurs with each code, counted once,
// is all that information gains need.  No tuple is looked at for them.
#pragma once

#include <cstdint>
#include <vector>

namespace incrowd::refinement {

enum class Kind { taxonomy, interval, disclosure };

// n log2 n in multiples of 2^-50.  Sums of them are exact, in whatever order they are taken.
using Bits = __int128;

// The weight n log2 n of a count; of small counts it is worked out once.
class Weights {
  public:
    explicit Weights(std::int64_t records);
    Bits operator()(std::int64_t count) {
        if (count < 2) return 0;
        if (static_cast<std::size_t>(count) >= known_.size()) return worked_out(count);
        Bits& known = known_[static_cast<std::size_t>(count)];
        if (!known) known = worked_out(count);
        return known;
    }

  private:
    static Bits worked_out(std::int64_t count);

    std::vector<Bits> known_;  // 0 if it is not
};

struct Span {
    std::int32_t low, high;  // codes [low, high)
};

// The nodes of a tree over the codes that occur, and into which nodes each is refined.
struct Taxonomy {
    std::vector<Span> span;
    std::vector<std::int32_t> start, stop;  // by node: its part of `child`
    std::vector<std::int32_t> child;        // in leaf order; the root is the last node
};

// How many records of each class have each code: entries by code.
struct Margin {
    std::vector<std::size_t> start;  // by code, and one more
    std::vector<std::int32_t> class_of;
    std::vector<std::int64_t> count;
    std::vector<std::int64_t> records;  // by code
};

// What the search reports: nodes of a taxonomy, first codes of intervals, disclosed codes.
struct Refined {
    std::int32_t value, split;  // split: where an interval is cut, or -1
};

class Column {
  public:
    // Codes from `n_plain` on are no numbers, or cannot be disclosed.  An interval may begin at the
    // codes that `may_begin` says.
    Column(Kind kind, std::int32_t n_plain, Taxonomy taxonomy, std::vector<std::int32_t> may_begin,
           Margin margin, std::size_t n_classes, bool by_classes, Weights& weights);

    Kind kind() const { return kind_; }
    std::size_t n_codes() const { return value_of_.size(); }

    // Candidates: the values shown, or the suppressed codes; in leaf order.
    const std::vector<std::int32_t>& candidates() const { return candidates_; }
    std::size_t n_candidates() const { return gain_.size(); }  // so far
    bool is_open(std::int32_t candidate) const { return open_[at(candidate)]; }
    double gain(std::int32_t candidate) const { return gain_[at(candidate)]; }
    // Whether an open candidate tells something; by classes, whether those it refines are several.
    bool is_beneficial(std::int32_t candidate) const;
    void close(std::int32_t candidate);
    void close_all();
    void forget_closed();

    // The value that a code shows; for suppressed codes 0, for disclosed ones -1.
    std::int32_t value_of(std::int32_t code) const { return value_of_[at(code)]; }
    bool may_change(std::int32_t value) const;
    // The child of its value that a code belongs to; a suppressed code is a child by itself.
    const std::int32_t* child_of() const { return child_of_.data(); }
    std::size_t n_children(std::int32_t candidate) const;

    Refined refine(std::int32_t candidate);

  private:
    struct Value {
        Span span;
        std::int32_t node;  // -1 in intervals
        std::int32_t split;
        std::vector<Span> children;
    };

    static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

    std::int32_t add(Span span, std::int32_t node);
    std::vector<Span> children_in_tree(std::int32_t node) const;
    std::vector<Span> children_of_interval(Span span, std::int32_t& split);
    std::int32_t best_split(Span span);
    Bits weight(std::int64_t count) { return (*weights_)(count); }
    bool holds_several_classes(Span span) const;
    bool occurs(Span span) const;
    std::int64_t records_in(Span span) const;
    Bits uncertainty(Span span);
    double gain_of(Span span, const std::vector<Span>& children);
    void suppress_all();
    void change_suppressed(std::int32_t code, std::int64_t sign);
    void score_suppressed();

    Kind kind_;
    bool by_classes_;
    std::int32_t n_plain_;
    Taxonomy taxonomy_;
    std::vector<std::int32_t> may_begin_;  // by code below n_plain_, in intervals
    Margin margin_;
    Weights* weights_;
    std::vector<Value> values_;
    std::vector<std::int32_t> value_of_, child_of_;  // by code
    std::vector<std::int32_t> candidates_;
    std::vector<double> gain_;  // by candidate
    std::vector<char> open_;
    std::size_t n_open_ = 0;
    std::vector<std::int64_t> tally_, rest_;  // by class; all 0 between calls
    // Of the suppressed codes, if the column discloses them.
    std::vector<std::int64_t> suppressed_;  // by class
    std::vector<Bits> own_uncertainty_;     // by code
    std::int64_t suppressed_records_ = 0;
    std::int32_t suppressed_classes_ = 0;
    Bits suppressed_weights_ = 0;  // n log2 n of `suppressed_`, summed
};

}  // namespace incrowd::refinement
