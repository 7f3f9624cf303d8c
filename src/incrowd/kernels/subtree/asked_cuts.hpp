// Who is suppressed under cuts, where requirements ask for more than sizes.  Twin:
// tests/algorithms/test_cuts_and_values.py.
#pragma once

#include <vector>

#include "requirements/suppression.hpp"
#include "subtree/cut_counting.hpp"

namespace incrowd {
// What is asked of a table of places: its tuples are those that the requirements are bound to.
struct AskedOfCuts {
    const Requirements* requirements = nullptr;  // none: sizes are all
    std::vector<std::vector<size_t>> views;      // the columns of each of their views
    bool masks = true;
};

// A table of places with all that is asked of its classes.
struct AskedTable {
    CutTable table;
    AskedOfCuts asked;
};

class AskedCuts {
  public:
    AskedCuts(const CutTable& table, const AskedOfCuts& asked);

    // Marks the tuples that fall and returns how many records these are; beyond `limit` only that
    // there are more.
    int64_t run(const Cuts& cuts, int64_t limit, std::vector<uint8_t>& fallen);
    // What a run takes, in tuples looked at once: it numbers, sorts and tallies them for each view.
    int64_t work() const { return static_cast<int64_t>(16 * table_.tuples * counters_.size()); }

  private:
    const CutTable& table_;
    const AskedOfCuts& asked_;
    std::vector<CutCounter> counters_;  // by view
    std::vector<int32_t> everyone_;
};
}  // namespace incrowd
