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
#include <unordered_set>
#include <vector>

#include "core/integers.hpp"
#include "core/key_numbering.hpp"
#include "lattice/packing.hpp"
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
    NodeCounter(const std::vector<int32_t>& codes, std::vector<int64_t> records,
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
    Levels top() const;

  private:
    // The classes of a node; level 0 everywhere is the table itself.
    struct Source {
        std::vector<int64_t> records;       // by class
        std::vector<int32_t> kind;          // by class: what its tuples carry
        std::vector<uint32_t> chunk_codes;  // of one tuple of each class, chunk-major
        std::vector<int32_t> start;         // by class, and the end: its tuples in `tuples`
        std::vector<int32_t> tuples;
        size_t size() const { return records.size(); }
    };
    void make_rows(const std::vector<int32_t>& codes, size_t m);
    Source make_base(const std::vector<int32_t>& codes, std::vector<int64_t> records);
    void choose_early_columns(const std::vector<int32_t>& codes);
    const Source& source_for(const Levels& levels);
    Source roll_up(const Source& finer, const Levels& levels);
    // Numbers the classes of `source` at `levels` and adds up their living records; afterwards
    // class_of_ and sizes_ are valid.
    void classify(const Source& source, const Levels& levels, const uint8_t* dead);
    void number_classes(const Source& source, const Levels& levels, bool by_kind = false);
    // The levels as a requirement sees them: columns that it does not cover are one value to it.
    Levels seen(const Levels& levels, const std::vector<uint8_t>& covers) const;
    // Returns how many records are suppressed and, up to `limit`, marks their classes in dead_.
    int64_t suppress(const Source& source, const Levels& levels, int64_t limit);
    std::vector<int64_t> excess_of(const Source& source, const std::vector<uint8_t>& dead);
    std::vector<int64_t> excess_of_histogram();
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
    std::vector<Pack> chunks_;    // for keys: few look-ups per tuple
    std::vector<Pack> cells_;     // for the histogram: few additions per tuple
    std::vector<uint32_t> rows_;  // by tuple: its position in the histogram of each cell pack
    int64_t records_ = 0;
    int64_t smallest_kept_ = 1;
    int64_t largest_suppressed_ = 0;
    size_t slots_ = 0;
    std::vector<size_t> early_;  // columns whose generalisation merges most tuples
    ByLevels<Source> sources_;   // by the levels of the first of the early columns
    std::unordered_set<Levels, LevelsHash> wanted_;  // asked for once, not yet worth keeping

    // Buffers, reused by every count.
    std::vector<uint64_t> keys_;
    std::vector<int32_t> class_of_;
    std::vector<int64_t> sizes_;
    std::vector<uint8_t> dead_;
    KeyNumbering numbering_;
    std::vector<int64_t> histogram_;  // records by packed cell
};
}  // namespace incrowd
