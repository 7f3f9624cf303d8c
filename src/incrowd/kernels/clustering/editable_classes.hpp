// Classes of records that can be changed, and changed back.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "clustering/fixed_columns.hpp"

namespace incrowd {

// A record that can be moved is an item.  A class may also hold fixed records: many equal ones that
// stay where they are, so that nobody needs to look at each of them.
class EditableClasses {
  public:
    // So many records more, like an item that could move.
    struct Fixed {
        std::int32_t item;
        std::int64_t records;
    };

    // `codes` is (items, columns), row by row.
    EditableClasses(std::span<const FixedColumn> columns, std::vector<std::int32_t> codes);

    // Building up.
    std::int32_t add_class();
    void add(std::int32_t item, std::int32_t to) { attach(item, to); }
    // `records` more records like `item` stay in its class for good.
    void fix(std::int32_t item, std::int64_t records);

    std::size_t n_items() const { return class_of_.size(); }
    std::int32_t n_classes() const { return static_cast<std::int32_t>(size_.size()); }
    bool alive(std::int32_t c) const { return size_[c] > 0; }
    std::int64_t size(std::int32_t c) const { return size_[c]; }
    bool has_fixed(std::int32_t c) const { return !fixed_[c].empty(); }
    const std::vector<Fixed>& fixed(std::int32_t c) const { return fixed_[c]; }
    std::int32_t unit_cost(std::int32_t c) const { return cost_[c]; }
    std::int64_t total(std::int32_t c) const { return size_[c] * cost_[c]; }
    std::int64_t total() const;
    std::int32_t class_of(std::int32_t item) const { return class_of_[item]; }
    const std::vector<std::int32_t>& members(std::int32_t c) const { return members_[c]; }
    const std::int32_t* codes(std::int32_t item) const {
        return codes_.data() + static_cast<std::size_t>(item) * d_;
    }

    // Cost of each class for each of its records if the item joined; dead classes cost the most.
    const std::vector<std::int32_t>& costs_with(std::int32_t item);
    // The class that the item makes least dearer, and by how much; -1 if there is none.
    struct Best {
        std::int32_t to;
        std::int64_t added;
    };
    Best best_class(std::int32_t item);
    Best best_among(std::int32_t item, const std::vector<std::int32_t>& classes) const;
    // Cost of a class of two, the item and each other one.
    const std::vector<std::int32_t>& pair_costs(std::int32_t item);
    // Unit cost of a class if an item joined, and if it left (found by looking at all others).
    std::int32_t cost_with(std::int32_t c, std::int32_t item) const;
    std::int32_t cost_without(std::int32_t c, std::int32_t item);

    // Changes between `begin` and `commit` or `roll_back` are one step.
    void begin();
    std::int64_t gained() const;  // by the step so far
    const std::vector<std::int32_t>& touched() const { return touched_; }
    void commit();
    void roll_back();

    std::int32_t open_class();                      // an empty one
    void move(std::int32_t item, std::int32_t to);  // from wherever it is
    void take(std::int32_t item);                   // its class keeps its shape until `refresh`
    void refresh(std::int32_t c);
    void take_all(std::int32_t c, std::vector<std::int32_t>& into);  // leaves it empty
    void put(std::int32_t item, std::int32_t to);                    // an item that was taken

    // Cells looked at: a clock that can be repeated.
    std::uint64_t work() const { return work_; }
    void spend(std::uint64_t cells) { work_ += cells; }

  private:
    struct Saved {
        std::int64_t size;
        std::int32_t cost;
        std::vector<std::int32_t> shape;
    };
    struct Move {
        std::int32_t item, from, to;
    };

    void touch(std::int32_t c);
    void attach(std::int32_t item, std::int32_t to);
    void detach(std::int32_t item);
    void enter(std::int32_t item, std::int32_t to);
    void widen(std::int32_t c, const std::int32_t* row, bool first);
    void reprice(std::int32_t c);
    std::int32_t* first_of(std::size_t j) { return first_.data() + j * room_; }
    std::int32_t* last_of(std::size_t j) { return last_.data() + j * room_; }
    void make_room();

    std::span<const FixedColumn> columns_;
    std::size_t d_;
    std::vector<std::int32_t> codes_;
    std::vector<std::int32_t> by_column_;  // tree: leaf nodes, line: places; (columns, items)
    // By item: its class (-1: taken), and its place among the members.
    std::vector<std::int32_t> class_of_, place_;
    // By class.
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::vector<Fixed>> fixed_;
    std::vector<std::int64_t> size_;
    std::vector<std::int32_t> cost_;
    // By column and class: tree: the node, line: the places of its ends.
    std::vector<std::int32_t> first_, last_;
    std::size_t room_ = 0;
    std::vector<std::int32_t> free_;

    bool open_ = false;
    std::uint32_t step_ = 0;
    std::vector<std::uint32_t> touched_in_;
    std::vector<std::int32_t> touched_;
    std::vector<Saved> saved_;
    std::size_t n_saved_ = 0;
    std::vector<Move> moves_;
    std::vector<std::int32_t> scan_, pairs_;
    mutable std::uint64_t work_ = 0;
};

inline constexpr std::int32_t kDead = std::numeric_limits<std::int32_t>::max() / 2;

}  // namespace incrowd
