// The rows that a search over regions cuts, and what each of them carries.
//
// Where requirements ask for more than sizes, tuples that differ in nothing but what they carry are
// one row: a cut moves as few rows as it would for sizes alone.  If tuples may be divided, each is
// a row of its own, for their order says whose records come first.
#pragma once

#include <span>
#include <vector>

#include "requirements/requirements.hpp"

namespace incrowd::region_search {
// Some records of a row that carry the same.
struct RowPart {
    int64_t records;
    int32_t kind;
    bool last;  // of its row
};

class SearchRows {
  public:
    // A lane is the codes of all tuples in a column; one more behind the `columns` is never cut.
    SearchRows(const Requirements& requirements, bool divides, size_t columns,
               std::vector<const int32_t*> lanes, std::span<const int64_t> records);
    SearchRows(const SearchRows&) = delete;

    const std::vector<const int32_t*>& lanes() const { return lanes_; }
    std::span<const int64_t> records() const { return records_; }
    size_t size() const { return records_.size(); }
    size_t tuples() const { return tuples_; }

    // By row what it is known by: its tuple if tuples may be divided, otherwise its first part.
    // Empty if nobody asks.
    const std::vector<int32_t>& numbers() const { return numbers_; }
    // The part of a row, of which there may be more behind it.
    const RowPart& part(int32_t number) const { return parts_[static_cast<size_t>(number)]; }

  private:
    void merge(const Requirements& requirements, size_t columns);

    std::vector<const int32_t*> lanes_;
    std::span<const int64_t> records_;
    size_t tuples_;
    std::vector<int32_t> numbers_;
    // If tuples were merged.
    std::vector<std::vector<int32_t>> merged_codes_;  // by lane and row
    std::vector<int64_t> merged_records_;             // by row
    std::vector<RowPart> parts_;                      // row by row
};
}  // namespace incrowd::region_search
