// Classes of records that can be changed, and changed back.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "clustering/fixed_columns.hpp"
#include "core/integers.hpp"

namespace incrowd {
// A record that can be moved is an item.  A class may also hold fixed records: many equal ones that
// stay where they are, so that nobody needs to look at each of them.
class EditableClasses {
  public:
    // So many records more, like an item that could move.
    struct Fixed {
        int32_t item;
        int64_t records;
    };

    // `codes` is (items, columns), row by row.
    EditableClasses(std::span<const FixedColumn> columns, std::vector<int32_t> codes);

    // Building up.
    int32_t add_class();
    void add(int32_t item, int32_t to) { attach(item, to); }
    // `records` more records like `item` stay in its class for good.
    void fix(int32_t item, int64_t records);

    size_t n_items() const { return class_of_.size(); }
    size_t n_columns() const { return d_; }
    int32_t n_classes() const { return static_cast<int32_t>(size_.size()); }
    bool alive(int32_t c) const { return size_[c] > 0; }
    int64_t size(int32_t c) const { return size_[c]; }
    bool has_fixed(int32_t c) const { return !fixed_[c].empty(); }
    const std::vector<Fixed>& fixed(int32_t c) const { return fixed_[c]; }
    int32_t unit_cost(int32_t c) const { return cost_[c]; }
    int32_t unit_cost(int32_t c, size_t j) const;  // of one column
    int64_t total(int32_t c) const { return size_[c] * cost_[c]; }
    int64_t total() const;
    int32_t class_of(int32_t item) const { return class_of_[item]; }
    const std::vector<int32_t>& members(int32_t c) const { return members_[c]; }
    const int32_t* codes(int32_t item) const {
        return codes_.data() + static_cast<size_t>(item) * d_;
    }

    // Cost of each class for each of its records if the item joined; dead classes cost the most.
    const std::vector<int32_t>& costs_with(int32_t item);
    // The class that the item makes least dearer, and by how much; -1 if there is none.
    struct Best {
        int32_t to;
        int64_t added;
    };
    Best best_class(int32_t item);
    Best best_other(int32_t item);  // its own left out
    Best best_among(int32_t item, const std::vector<int32_t>& classes) const;
    // Cost of a class of two, the item and each other one.
    const std::vector<int32_t>& pair_costs(int32_t item);
    // Unit cost of a class if an item joined, and if it left.
    int32_t cost_with(int32_t c, int32_t item) const;
    int32_t cost_without(int32_t c, int32_t item);

    // Changes between `begin` and `commit` or `roll_back` are one step.
    void begin();
    int64_t gained() const;  // by the step so far
    const std::vector<int32_t>& touched() const { return touched_; }
    // Of an item from a class to another, in their order; -1 is none, while it is taken.
    struct Move {
        int32_t item, from, to;
    };
    const std::vector<Move>& moves() const { return moves_; }
    void commit();
    void roll_back();

    int32_t open_class();                 // an empty one
    void move(int32_t item, int32_t to);  // from wherever it is
    void take(int32_t item);              // its class keeps its shape until `refresh`
    void refresh(int32_t c);
    void take_all(int32_t c, std::vector<int32_t>& into);  // leaves it empty
    void put(int32_t item, int32_t to);                    // an item that was taken

    // Cells looked at: a clock that can be repeated.
    uint64_t work() const { return work_; }
    void spend(uint64_t cells) { work_ += cells; }

  private:
    struct Saved {
        int64_t size;
        int32_t cost;
        std::vector<int32_t> shape;
    };
    Best cheapest_of_scan() const;
    void touch(int32_t c);
    void attach(int32_t item, int32_t to);
    void detach(int32_t item);
    void enter(int32_t item, int32_t to);
    void widen(int32_t c, const int32_t* row, bool first);
    void reprice(int32_t c);
    void find_ends(int32_t c, std::vector<int32_t>& ends) const;
    int32_t* first_of(size_t j) { return first_.data() + j * room_; }
    int32_t* last_of(size_t j) { return last_.data() + j * room_; }
    void make_room();

    std::span<const FixedColumn> columns_;
    size_t d_;
    std::vector<int32_t> codes_;
    std::vector<int32_t> by_column_;  // tree: leaf nodes, line: places; (columns, items)
    // By item: its class (-1: taken), and its place among the members.
    std::vector<int32_t> class_of_, place_;
    // By class.
    std::vector<std::vector<int32_t>> members_;
    std::vector<std::vector<Fixed>> fixed_;
    std::vector<std::vector<int32_t>> ends_;  // by column: two lowest, two highest; if known
    std::vector<int64_t> size_;
    std::vector<int32_t> cost_;
    // By column and class: tree: the node, line: the places of its ends.
    std::vector<int32_t> first_, last_;
    size_t room_ = 0;
    std::vector<int32_t> free_;

    bool open_ = false;
    uint32_t step_ = 0;
    std::vector<uint32_t> touched_in_;
    std::vector<int32_t> touched_;
    std::vector<Saved> saved_;
    size_t n_saved_ = 0;
    std::vector<Move> moves_;
    std::vector<int32_t> scan_, pairs_;
    mutable uint64_t work_ = 0;
};

inline constexpr int32_t kDead = std::numeric_limits<int32_t>::max() / 2;
}  // namespace incrowd
