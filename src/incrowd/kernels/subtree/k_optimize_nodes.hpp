// Sets of items, which split the columns of a table between neighbouring places, what they cost,
// and what each further item would do.  Elements are tuples that no item still allowed tells apart,
// so that nodes deep in a search are small.  Twin: tests/naive/splits.py.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/integers.hpp"
#include "subtree/asked_cuts.hpp"
#include "subtree/cut_counting.hpp"
#include "subtree/k_optimize_items.hpp"

namespace incrowd {
struct Elements {
    std::vector<int32_t> tuple;  // one of those that are alike
    std::vector<int64_t> records;
    std::vector<double> floor;  // the least they can cost while they are kept

    size_t size() const { return tuple.size(); }
};

// The records that a set of items leaves, and the items that may be added.
struct SplitNode {
    std::shared_ptr<const Elements> elements;
    std::vector<std::vector<int32_t>> class_of;  // by demand and element
    std::vector<int32_t> classes;                // by demand
    int64_t suppressed = 0;
    std::vector<int32_t> head;  // the items made, parents first
    std::vector<int32_t> tail;  // those allowed, in the order in which they are tried
    std::vector<double> bound;  // by tail: no set with this item costs less
    size_t next = 0;            // in the tail
    size_t allowed = 0;         // items that tell the elements apart
};

// What adding one item, and those it asks for, to a node does, by item.
struct Effects {
    std::vector<double> cost;      // at least so much more
    std::vector<int64_t> fallen;   // at least so many records more are suppressed
    std::vector<int32_t> divided;  // classes
};

// What lies of a class between two splits of an item, and in how many such pieces it lies.
struct Pieces {
    int64_t here = 0, all = 0;
    double here_floor = 0, all_floor = 0;
    int32_t count = 0;
};

// Records that stand in too small pieces, and what they cost at least while they are kept.
struct Fall {
    int64_t least = 1, records = 0;
    double floor = 0;

    void add(int64_t size, double its_floor, int sign) {
        if (size >= least) return;
        records += sign * size;
        floor += sign * its_floor;
    }
};

class SplitNodes {
  public:
    SplitNodes(const CutTable& table, const AskedOfCuts& asked, const SplitItems& items,
               bool by_target);

    int64_t work() const { return work_; }  // elements looked at, over all columns

    SplitNode root();
    // The node with one more item, whose parent is made; nothing if more than `limit` records would
    // be suppressed.
    std::optional<SplitNode> added(const SplitNode& node, int32_t item, int64_t limit);
    // What the items made cost; infinity if more than `limit` records are suppressed.  Beyond
    // `most` it may be less than they cost.
    double cost(const SplitNode& node, int64_t limit, double most);
    // Joins elements that the head and the tail no longer tell apart, and returns what no set
    // between the two can cost less than.
    double bound(SplitNode& node);
    const Effects& effects(const SplitNode& node);
    // By item: how it changes the pairs of records that are alike and, with a target, of different
    // classes; each suppressed record counts as n.  As if only classes over all columns counted.
    // Infinity for items whose parent is not made.
    const std::vector<double>& changes(const SplitNode& node);

  private:
    double cost_by_size(const SplitNode& node);
    double cost_as_asked(const SplitNode& node, int64_t limit);
    size_t set_cuts(const SplitNode& node, bool with_tail);
    double suppressed_cost() const { return by_target_ ? 1.0 : double(table_.n_records); }
    double pairs(int64_t records, double squares, int64_t least) const;
    void set_keys(const Elements& elements, const SplitItem& item,
                  const std::vector<int32_t>& class_of);
    int32_t cells(const SplitNode& node);
    void join(SplitNode& node);
    void set_floors(Elements& elements, const std::vector<int32_t>& fine, int32_t count);
    void sort_by_place(const Elements& elements, size_t column);
    std::span<const int32_t> piece_of(const SplitItem& item, size_t at) const;
    void walk(const SplitNode& node, size_t column, size_t demand);
    void walk_nested(const SplitNode& node, size_t column, size_t demand);
    int32_t add_pieces(const SplitNode& node, const SplitItem& item, size_t demand, Fall& fall);
    void walk_costs(const SplitNode& node, size_t column, bool backwards);
    void walk_nested_costs(const SplitNode& node, size_t column);
    double nested_cost(const SplitNode& node, int32_t number);

    const CutTable& table_;
    const SplitItems& items_;
    bool by_target_;
    int64_t largest_ = 1;  // class that a demand asks for
    std::vector<std::vector<uint8_t>> covers_;
    CutCounter counter_;
    std::optional<AskedCuts> asked_;  // where sizes are not all
    SmallClasses suppression_;
    KeyNumbering numbering_;
    int64_t work_ = 0;

    Effects effects_;
    std::vector<double> changes_;
    Cuts cuts_;
    std::vector<uint64_t> keys_;
    std::vector<uint8_t> fallen_;
    std::vector<int32_t> order_, start_, last_, cell_;
    std::vector<int64_t> left_, most_, cell_records_, diff_fallen_;
    std::vector<double> left_floor_, diff_cost_, squares_, total_squares_;
    std::vector<int32_t> diff_divided_;
    std::vector<std::vector<int64_t>> total_;
    std::vector<std::vector<double>> total_floor_;
    std::vector<uint8_t> in_head_, in_tail_;  // by item
    std::vector<Pieces> pieces_;              // by class
    std::vector<int32_t> touched_, piece_;
    std::vector<Fall> falls_;  // by item
};
}  // namespace incrowd
