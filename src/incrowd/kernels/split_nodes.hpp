// Sets of splits between neighbouring places of a table's columns, what they cost, and what each
// further split would do.  Elements are tuples that no split still allowed tells apart, so that
// nodes deep in a search are small.  Twin: tests/naive_splits.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cut_counting.hpp"

namespace incrowd {

struct Elements {
    std::vector<std::int32_t> tuple;  // one of those that are alike
    std::vector<std::int64_t> records;
    std::vector<double> floor;  // the least they can cost while they are kept

    std::size_t size() const { return tuple.size(); }
};

// The records that a set of splits leaves, and the splits that may be added.
struct SplitNode {
    std::shared_ptr<const Elements> elements;
    std::vector<std::vector<std::int32_t>> class_of;  // by demand and element
    std::vector<std::int32_t> classes;                // by demand
    std::int64_t suppressed = 0;
    std::vector<std::int32_t> head;  // the splits made
    std::vector<std::int32_t> tail;  // those allowed, in the order in which they are tried
    std::vector<double> bound;       // by tail: no set with this split costs less
    std::size_t next = 0;            // in the tail
    std::size_t allowed = 0;         // splits that tell the elements apart
};

// What adding one split to a node does, by split.
struct Effects {
    std::vector<double> cost;           // at least so much more
    std::vector<std::int64_t> fallen;   // at least so many records more are suppressed
    std::vector<std::int32_t> divided;  // classes
};

class SplitNodes {
  public:
    SplitNodes(const CutTable& table, bool by_target);

    std::size_t splits() const { return column_.size(); }
    std::int64_t work() const { return work_; }  // elements looked at, over all columns

    SplitNode root();
    // The node with one more split, or nothing if more than `limit` records would be suppressed.
    std::optional<SplitNode> added(const SplitNode& node, std::int32_t split, std::int64_t limit);
    double cost(const SplitNode& node);
    // Joins elements that the head and the tail no longer tell apart, and returns what no set
    // between the two can cost less than.
    double bound(SplitNode& node);
    const Effects& effects(const SplitNode& node);
    // By split: how it changes the pairs of records that are alike and, with a target, of different
    // classes; each suppressed record counts as n.  As if only classes over all columns counted.
    const std::vector<double>& changes(const SplitNode& node);

  private:
    double suppressed_cost() const { return by_target_ ? 1.0 : double(table_.n_records); }
    double pairs(std::int64_t records, double squares, std::int64_t least) const;
    std::int32_t cells(const SplitNode& node);
    void join(SplitNode& node);
    void set_floors(Elements& elements, const std::vector<std::int32_t>& fine, std::int32_t count);
    void sort_by_place(const Elements& elements, std::size_t column);
    void walk(const SplitNode& node, std::size_t column, std::size_t demand);
    void walk_costs(const SplitNode& node, std::size_t column, bool backwards);

    const CutTable& table_;
    bool by_target_;
    std::vector<std::int32_t> column_, place_;  // by split: its column, and the first place after
    std::vector<std::size_t> offset_;           // by column: its first split
    std::vector<std::vector<std::uint8_t>> covers_;
    CutCounter counter_;
    Suppression suppression_;
    KeyNumbering numbering_;
    std::int64_t work_ = 0;

    Effects effects_;
    std::vector<double> changes_;
    Cuts cuts_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint8_t> fallen_;
    std::vector<std::int32_t> order_, start_, last_, cell_;
    std::vector<std::int64_t> left_, most_, cell_records_, diff_fallen_;
    std::vector<double> left_floor_, diff_cost_, squares_, total_squares_;
    std::vector<std::int32_t> diff_divided_;
    std::vector<std::vector<std::int64_t>> total_;
    std::vector<std::vector<double>> total_floor_;
};

}  // namespace incrowd
