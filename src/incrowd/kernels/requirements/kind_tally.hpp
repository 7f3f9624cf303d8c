// Classes that are looked at once, one after the other: records are added kind by kind, and then
// every requirement is asked about them.
//
// Room for all kinds, kept from class to class: adding costs a few steps whatever their number, and
// asking costs what sorting the kinds of the class does.  Twin: tests/carried_rows.py.
#pragma once

#include <vector>

#include "requirements/requirements.hpp"

namespace incrowd {
class KindTally {
  public:
    explicit KindTally(const Requirements& requirements);

    // One record or more.
    void add(int32_t kind, int64_t records) {
        int64_t& own = tally_[static_cast<size_t>(kind)];
        if (own == 0) present_.push_back(kind);
        own += records;
    }

    // Whether what was added, `records` altogether, holds everything as a class; it is forgotten.
    bool hold(int64_t records) {
        const bool found = hold_so_far(records);
        clear();
        return found;
    }
    // Whether a class holds as soon as some of its records do, and is large enough: then
    // `hold_so_far` can be asked before all of them are added.
    bool more_never_harms() const { return more_never_harms_; }
    bool hold_so_far(int64_t records);
    void clear();

  private:
    void collect(const Spread& spread);

    const Requirements& requirements_;
    bool more_never_harms_;
    std::vector<int64_t> tally_;  // by kind
    std::vector<int32_t> present_;
    // Room to work in.
    std::vector<Kinds> cells_;
    std::vector<Cell> part_;
};
}  // namespace incrowd
