// The requirements of a problem, bound to its table: what every search asks about its classes.
//
// A requirement is a form, the columns that make up its classes, and a spread: the carried column
// that the form looks at, with the columns beside it that an attacker knows (a class is then looked
// at apart for each value known).  All that tuples carry for all requirements together is numbered
// once: a tuple's `kind`.  A search passes kinds around and nothing else.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/integers.hpp"
#include "core/table.hpp"
#include "requirements/forms.hpp"

namespace incrowd {
struct Spread {
    std::vector<int32_t> value;  // by kind
    std::vector<int32_t> known;  // by kind; empty if nothing is
    int64_t values = 1, knowns = 1;

    // Cells of different known values apart, each by value.
    int64_t key(int32_t kind) const {
        const auto at = static_cast<size_t>(kind);
        return (known.empty() ? 0 : known[at] * values) + value[at];
    }
};

constexpr int32_t kNoSpread = -1;

struct Asked {
    std::unique_ptr<Form> form;
    int32_t view;    // which of the sets of columns makes up its classes
    int32_t spread;  // what it looks at beside the size; kNoSpread: nothing
};

// Some records of one kind.
struct Kinds {
    int64_t key;
    int64_t records;
};

// Sorts cells, and makes one of those with the same key.
void gather(std::vector<Kinds>& cells);

class Requirements {
  public:
    // `kind` is by tuple of the table, which must live as long.  `of_kind` is by kind: its records
    // in the whole table that distributions are compared with, of which this may be a part.
    Requirements(const Table& table, std::vector<int32_t> kind, std::vector<int64_t> of_kind);
    Requirements(const Requirements&) = delete;

    int32_t add_spread(Spread spread);
    // `covers` is by column.
    void add(std::unique_ptr<Form> form, std::vector<uint8_t> covers, int32_t spread);

    const std::vector<int32_t>& kind() const { return kind_; }
    size_t kinds() const { return by_kind_.size(); }
    const std::vector<Spread>& spreads() const { return spreads_; }
    const std::vector<Asked>& asked() const { return asked_; }
    const std::vector<std::vector<uint8_t>>& views() const { return views_; }
    const Table& table() const { return table_; }
    // Of the whole table.
    int64_t records() const { return records_; }
    // No class can hold with fewer records.
    int64_t least_size() const { return least_size_; }
    // Whether an attacker tells parts of a class apart, which are asked for one by one.
    bool knows_parts(const Asked& asked) const {
        return asked.spread != kNoSpread &&
               !spreads_[static_cast<size_t>(asked.spread)].known.empty();
    }
    // Whether nothing but sizes is asked for.
    bool only_sizes() const { return spreads_.empty(); }

    // Whether a class holds, in every part that an attacker can tell apart.  `cells` are ascending
    // by key; `part` is room to work in.
    bool holds(const Asked& asked, const Form& form, int64_t records, std::span<const Kinds> cells,
               std::vector<Cell>& part) const;
    // By kind: its records in the whole table.
    std::span<const int64_t> by_kind() const { return by_kind_; }
    // By value of a spread: its records in the table, or in what is left of it.
    std::vector<int64_t> reference(const Spread& spread, std::span<const int64_t> by_kind) const;

  private:
    const Table& table_;
    std::vector<int32_t> kind_;
    int64_t least_size_ = 1;
    std::vector<int64_t> by_kind_;
    int64_t records_;
    std::vector<Spread> spreads_;
    std::vector<Asked> asked_;
    std::vector<std::vector<uint8_t>> views_;
};

// Calls work(known part as cells, its records) for each part of a class that an attacker can tell
// apart, until it returns false; whether it never did.
template <typename Work>
bool each_part(const Spread& spread, std::span<const Kinds> cells, std::vector<Cell>& part,
               const Work& work) {
    for (size_t from = 0, to; from < cells.size(); from = to) {
        const int64_t known = cells[from].key / spread.values;
        int64_t records = 0;
        part.clear();
        for (to = from; to < cells.size() && cells[to].key / spread.values == known; ++to) {
            part.push_back(
                {static_cast<int32_t>(cells[to].key % spread.values), cells[to].records});
            records += cells[to].records;
        }
        if (!work(Cells(part), records, known)) return false;
    }
    return true;
}
}  // namespace incrowd
