// How many records of a group have each child of their value, by column, while single values are
// disclosed: what leaves a group is taken off, and only what that changes is looked at again.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/integers.hpp"

namespace incrowd::refinement {
class GroupTally {
  public:
    explicit GroupTally(size_t columns) : most_(columns, 0) {}

    void add(size_t column, int32_t child, int64_t records) {
        int64_t& own = records_[key(column, child)];
        own += records;
        most_[column] = std::max(most_[column], own);
    }
    // Takes records off, and remembers whose.
    void take(size_t column, int32_t child, int64_t records) {
        records_[key(column, child)] -= records;
        changed_.push_back(key(column, child));
    }

    // Calls work(column, child, records) for what `take` changed since; what is gone is left out.
    template <typename Work>
    void each_changed(const Work& work) {
        for (const uint64_t each : changed_) {
            const auto found = records_.find(each);
            if (found == records_.end()) continue;
            if (found->second > 0) work(column(each), child(each), found->second);
            else records_.erase(found);
        }
        changed_.clear();
    }

    // The child of a column with more than half of all records; -1 if there is none.  Children only
    // lose records, so one look at all of them serves until half has shrunk to what was most then.
    int32_t majority(size_t of, int64_t all, int64_t& records) {
        if (most_[of] * 2 <= all) return -1;
        int32_t most_at = -1;
        most_[of] = 0;
        for (const auto& [each, own] : records_)
            if (column(each) == of && own > most_[of]) most_[of] = own, most_at = child(each);
        records = most_[of];
        return most_[of] * 2 > all ? most_at : -1;
    }

  private:
    static uint64_t key(size_t column, int32_t child) {
        return (static_cast<uint64_t>(column) << 32) | static_cast<uint32_t>(child);
    }
    static size_t column(uint64_t key) { return static_cast<size_t>(key >> 32); }
    static int32_t child(uint64_t key) { return static_cast<int32_t>(static_cast<uint32_t>(key)); }

    std::unordered_map<uint64_t, int64_t> records_;
    std::vector<uint64_t> changed_;
    std::vector<int64_t> most_;  // by column, no child has more
};
}  // namespace incrowd::refinement
