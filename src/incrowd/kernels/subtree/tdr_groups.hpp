// The records that look alike on the columns of one requirement, while these are refined (QITS).
// Twin: tests/naive/tdr.py.
//
// The distinct tuples of the requirement's columns lie group by group.  Refining a value touches
// the groups that show it (its link) and no others: each is divided, and the parts are surveyed for
// the smallest group that any further refinement would make.  Groups only get smaller, so the
// smallest seen so far is the smallest there is.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/workers.hpp"
#include "subtree/tdr_columns.hpp"

namespace incrowd::refinement {

class Groups {
  public:
    // `codes` is column-major: column i of the requirement starts at i * records.size().
    Groups(std::vector<Column*> columns, const std::int32_t* codes,
           std::vector<std::int64_t> records, std::int64_t k, Meter& meter);

    std::int64_t k() const { return k_; }
    // The smallest group now, and after the refinement of a candidate of column i.
    std::int64_t smallest() const { return smallest_; }
    std::int64_t smallest_after(std::size_t i, std::int32_t candidate) const;

    // Before the column itself is refined, and after it.
    void divide(std::size_t i, std::int32_t candidate);
    void survey_divided(std::size_t i);

  private:
    struct Group {
        std::int32_t begin, end;  // rows
        std::int64_t records;
    };
    struct Surveyed {
        std::size_t column;
        std::int32_t value;
        const std::int32_t* child_of;
        std::int64_t* seen;
        std::int64_t least;
    };

    std::int32_t first_code(std::int32_t group, std::size_t i) const {
        return rows_[static_cast<std::size_t>(groups_[static_cast<std::size_t>(group)].begin) *
                         columns_.size() +
                     i];
    }
    void divide_group(std::int32_t group, std::size_t i, const std::vector<std::int32_t>& part_of);
    void link(std::int32_t group, std::size_t i);
    void survey(std::int32_t group, std::size_t first, std::size_t last);
    void make_room();
    void note(const Surveyed& surveyed, std::int32_t candidate, std::int64_t least);

    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

    std::vector<Column*> columns_;
    std::vector<std::int32_t> rows_;  // row by row
    std::vector<std::int64_t> records_;
    std::int64_t k_;
    Meter& meter_;
    std::vector<Group> groups_;
    std::int64_t smallest_ = kNone;
    std::vector<std::vector<std::vector<std::int32_t>>> links_;  // by column and value: groups
    std::vector<std::vector<std::int64_t>> narrowest_;           // by column and candidate
    // Of the division at hand, and of the survey at hand.
    std::vector<std::int32_t> divided_, whole_, part_of_, moved_rows_;
    std::size_t groups_before_ = 0;
    std::vector<std::int64_t> moved_records_, part_records_;
    std::vector<std::int32_t> part_rows_;
    std::vector<std::vector<std::int64_t>> seen_;  // by column and child: records; all 0 between
    std::vector<Surveyed> surveyed_;
};

}  // namespace incrowd::refinement
