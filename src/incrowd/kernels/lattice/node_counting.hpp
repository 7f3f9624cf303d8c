// Counts nodes of a full-domain lattice: which records are suppressed there, and what that costs.
//
// A node is a level per column.  It is counted from the classes of a finer node that was kept (a
// roll-up), by packing the columns into a few chunk codes with one look-up table per chunk and
// level combination.  Cost: O(classes of the finer node x chunks).  Twin:
// tests/naive/counting.py::count_node.
//
// "Excess" is what suppressing a record costs more than generalising it, by column and level: an
// integer numerator, so that sums are exact in any order.  A record that is suppressed at a node is
// suppressed at every specialisation of it, so the excess sums of one node, at all levels, bound
// the loss of its whole down-set.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/integers.hpp"
#include "core/key_numbering.hpp"
#include "lattice/chunk.hpp"
#include "lattice/excess_sums.hpp"
#include "lattice/information.hpp"
#include "lattice/source.hpp"
#include "requirements/suppression.hpp"

namespace incrowd {
struct NodeCount {
    int64_t suppressed = 0;   // records in classes that violate a requirement
    int64_t certain = 0;      // of these, suppressed at every specialisation too
    int64_t classes = 0;      // kept classes over all columns
    int64_t smallest = 0;     // records in the smallest kept class
    int64_t squares = 0;      // sum of squared sizes of kept classes
    int64_t all_classes = 0;  // the same before suppression
    int64_t all_squares = 0;
    int64_t floor_squares = 0;    // sum over classes of size x max(size, smallest kept)
    std::vector<int64_t> excess;  // by column and level, over the suppressed records
    std::vector<int64_t> certain_excess;
};

// Asks Python which base tuples are suppressed: writes one byte per tuple into `suppressed`, and
// into `certain` those that are suppressed at every specialisation too.
using Judge = std::function<void(const Levels&, std::vector<uint8_t>& suppressed,
                                 std::vector<uint8_t>& certain)>;

class NodeCounter {
  public:
    // `requirements` are asked unless there is a judge.  `masks`: whether suppressed records may
    // stay in the table as a class of their own.
    NodeCounter(std::span<const int32_t> codes, std::span<const int64_t> records,
                std::vector<LatticeColumn> columns, const Requirements& requirements, bool masks,
                Judge judge);

    // Class figures cost a little extra and are filled in only if asked for.  Excess sums are left
    // out where more than `limit` records are suppressed.
    NodeCount count(const Levels& levels, bool with_classes, int64_t limit);
    // Records per class, before suppression.
    std::vector<int64_t> class_sizes(const Levels& levels);

    const std::vector<LatticeColumn>& columns() const { return columns_; }
    int64_t records() const { return records_; }
    // No kept class over all columns is smaller, and no suppressed record's class larger.
    int64_t smallest_kept() const { return smallest_kept_; }
    int64_t largest_suppressed() const { return largest_suppressed_; }
    size_t slots() const { return slots_; }
    const TupleSample& sample() const { return sample_; }
    Levels top() const;

  private:
    Source make_base(std::span<const int64_t> records);
    void choose_early_columns(std::span<const int32_t> codes);
    const Source& source_for(const Levels& levels);
    Source roll_up(const Source& finer, const Levels& levels);
    // Adds up the living records of the classes of `source` at `levels`: afterwards class_of_ has a
    // number for each item, the same for those of one class, and sizes_ the records by number.
    void add_up(const Source& source, const Levels& levels, const uint8_t* dead);
    // Sets digits_ to those that make up the key of an item.
    void find_digits(const Source& source, const Levels& levels);
    uint64_t pack_items(size_t items);
    void forget_sizes();
    // Numbers the classes in class_of_ by first appearance; returns how many there are.
    int32_t number_classes(const Source& source, const Levels& levels, bool by_kind = false);
    // The levels as a requirement sees them: columns that it does not cover are one value to it.
    Levels seen(const Levels& levels, const std::vector<uint8_t>& covers) const;
    // Returns how many records are suppressed, and marks their classes in dead_.
    int64_t suppress(const Source& source, const Levels& levels);
    int64_t let_fall(const Source& source, int64_t least, bool all_live);
    void fill_classes(const Source& source, const Levels& levels, const std::vector<uint8_t>& dead,
                      NodeCount& result);
    NodeCount judged(const Levels& levels, bool with_classes, int64_t limit);
    NodeCount asked(const Levels& levels, bool with_classes, int64_t limit);
    Fallen fallen_at(const Source& source, const Levels& levels, bool all, int64_t limit);

    std::vector<LatticeColumn> columns_;
    // Where nothing but sizes is asked for: at least `size` records in each class over some
    // columns.
    struct LeastSize {
        std::vector<uint8_t> covers;
        int64_t size;
    };

    const Requirements& requirements_;
    std::vector<LeastSize> sizes_asked_;
    bool falls_apart_ = true;  // nothing that is suppressed at a node holds at a finer one
    bool masks_;
    Judge judge_;
    std::vector<Chunk> chunks_;  // few look-ups per tuple
    int64_t records_ = 0;
    int64_t smallest_kept_ = 1;
    int64_t largest_suppressed_ = 0;
    size_t slots_ = 0;
    TupleSample sample_;
    std::vector<size_t> early_;  // columns whose generalisation merges most tuples
    ByLevels<Source> sources_;   // by the levels of the first of the early columns
    std::unordered_set<Levels, LevelsHash> wanted_;  // asked for once, not yet worth keeping

    // The keys of one chunk, by code, and the code of each item.
    struct Digit {
        const uint32_t* keys;
        const uint32_t* codes;
        uint64_t size;  // all keys are below
    };
    template <size_t N>
    void add_digits(size_t first, uint64_t place, size_t items);

    // Buffers, reused by every count.
    std::vector<Digit> digits_;
    std::vector<uint64_t> keys_;
    std::vector<int32_t> class_of_;
    std::vector<int64_t> sizes_;  // zeros but for the classes of the items added up last
    size_t added_up_ = 0;         // so many items
    std::vector<uint8_t> dead_;
    KeyNumbering numbering_;
    std::optional<ExcessSums> excess_;  // made when the columns know their slots
};
}  // namespace incrowd
