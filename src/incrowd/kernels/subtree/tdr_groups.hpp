// The records that look alike on the columns of one requirement, while these are refined (QITS).
// Twin: tests/naive/tdr.py.
//
// The distinct tuples of the requirement's columns lie group by group.  Refining a value touches
// the groups that show it (its link) and no others: each is divided, and the parts are surveyed for
// the smallest group that any further refinement would make.  Groups only get smaller, so the
// smallest seen so far is the smallest there is.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "core/workers.hpp"
#include "subtree/tdr_columns.hpp"

namespace incrowd::refinement {
class Groups {
  public:
    // `codes` is column-major: column i of the requirement starts at i * records.size().
    Groups(std::vector<Column*> columns, const int32_t* codes, std::vector<int64_t> records,
           int64_t k, Meter& meter)
        : columns_(std::move(columns)), rows_(records.size() * columns_.size()),
          records_(std::move(records)), k_(k), meter_(meter), links_(columns_.size()),
          narrowest_(columns_.size()) {
        const size_t n = records_.size(), width = columns_.size();
        for (size_t i = 0; i < width; ++i)
            for (size_t row = 0; row < n; ++row) rows_[row * width + i] = codes[i * n + row];
        for (const Column* column : columns_) seen_.emplace_back(column->n_codes(), 0);
        smallest_ = std::accumulate(records_.begin(), records_.end(), int64_t{0});
        groups_.push_back({0, static_cast<int32_t>(n), smallest_});
        make_room();
        for (size_t i = 0; i < width; ++i) link(0, i);
        survey(0, 0, width);
    }

    int64_t k() const { return k_; }
    // The smallest group now, and after the refinement of a candidate of column i.
    int64_t smallest() const { return smallest_; }

    int64_t smallest_after(size_t i, int32_t candidate) const {
        return std::min(smallest_, narrowest_[i][candidate]);
    }

    // Before the column itself is refined, and after it.
    void divide(size_t i, int32_t candidate) {
        const Column& column = *columns_[i];
        const bool disclosed = column.kind() == Kind::disclosure;
        const int32_t value = disclosed ? 0 : candidate;
        if (disclosed) {
            part_of_.assign(column.n_codes(), 0);
            part_of_[candidate] = 1;
        } else {
            part_of_.assign(column.child_of(), column.child_of() + column.n_codes());
        }
        const size_t n_parts = column.n_children(candidate);
        part_rows_.assign(n_parts + 1, 0);
        part_records_.assign(n_parts, 0);
        divided_.clear();
        whole_.clear();
        groups_before_ = groups_.size();
        for (const int32_t group : std::exchange(links_[i][value], {}))
            divide_group(group, i, part_of_);
    }

    void survey_divided(size_t i) {
        make_room();
        for (const int32_t group : whole_) {
            link(group, i);
            if (columns_[i]->kind() != Kind::disclosure) survey(group, i, i + 1);
        }
        for (const int32_t group : divided_) {
            link(group, i);
            for (size_t other = 0; other < columns_.size(); ++other)
                if (other != i && static_cast<size_t>(group) >= groups_before_) link(group, other);
            survey(group, 0, columns_.size());
        }
    }

  private:
    struct Group {
        int32_t begin, end;  // rows
        int64_t records;
    };
    struct Surveyed {
        size_t column;
        int32_t value;
        const int32_t* child_of;
        int64_t* seen;
        int64_t least;
    };

    int32_t first_code(int32_t group, size_t i) const {
        return rows_[groups_[group].begin * columns_.size() + i];
    }

    // Sorts the rows of a group by part.  The first part keeps the group's number.
    void divide_group(int32_t group, size_t i, const std::vector<int32_t>& part_of) {
        const size_t width = columns_.size();
        const Group whole = groups_[group];
        const size_t n = whole.end - whole.begin;
        const int32_t* rows = rows_.data() + whole.begin * width;
        const int64_t* records = records_.data() + whole.begin;
        std::ranges::fill(part_rows_, 0);
        std::ranges::fill(part_records_, 0);
        for (size_t row = 0; row < n; ++row) {
            const size_t part = part_of[rows[row * width + i]];
            ++part_rows_[part + 1];
            part_records_[part] += records[row];
        }
        meter_.advance(0);
        if (std::ranges::find(part_rows_, static_cast<int32_t>(n)) != part_rows_.end()) {
            whole_.push_back(group);
            return;
        }
        divided_.push_back(group);
        std::partial_sum(part_rows_.begin(), part_rows_.end(), part_rows_.begin());
        bool first = true;
        for (size_t part = 0; part < part_records_.size(); ++part) {
            if (part_rows_[part] == part_rows_[part + 1]) continue;
            const Group made{whole.begin + part_rows_[part], whole.begin + part_rows_[part + 1],
                             part_records_[part]};
            smallest_ = std::min(smallest_, made.records);
            if (first) {
                groups_[group] = made;
            } else {
                divided_.push_back(static_cast<int32_t>(groups_.size()));
                groups_.push_back(made);
            }
            first = false;
        }
        moved_rows_.resize(std::max(moved_rows_.size(), n * width));
        moved_records_.resize(std::max(moved_records_.size(), n));
        for (size_t row = 0; row < n; ++row) {
            const size_t to = part_rows_[part_of[rows[row * width + i]]]++;
            std::copy_n(rows + row * width, width, moved_rows_.data() + to * width);
            moved_records_[to] = records[row];
        }
        std::copy_n(moved_rows_.data(), n * width, rows_.data() + whole.begin * width);
        std::copy_n(moved_records_.data(), n, records_.data() + whole.begin);
    }

    void link(int32_t group, size_t i) {
        const int32_t value = columns_[i]->value_of(first_code(group, i));
        if (value >= 0 && columns_[i]->may_change(value)) links_[i][value].push_back(group);
    }

    // What refining the group's value in any of these columns would leave as its smallest part.  A
    // group of one row cannot be divided, and groups are never smaller than the smallest.
    void survey(int32_t number, size_t first, size_t last) {
        const Group group = groups_[number];
        const size_t end = group.end;
        const size_t width = columns_.size();
        if (group.end - group.begin < 2) return;
        surveyed_.clear();
        for (size_t i = first; i < last; ++i) {
            const int32_t value = columns_[i]->value_of(first_code(number, i));
            if (value >= 0 && columns_[i]->may_change(value))
                surveyed_.push_back({i, value, columns_[i]->child_of(), seen_[i].data(), kNone});
        }
        if (surveyed_.empty()) return;
        const int32_t* rows = rows_.data();
        for (size_t row = group.begin; row < end; ++row)
            for (const Surveyed& each : surveyed_)
                each.seen[each.child_of[rows[row * width + each.column]]] += records_[row];
        for (size_t row = group.begin; row < end; ++row)
            for (Surveyed& each : surveyed_) {
                const int32_t child = each.child_of[rows[row * width + each.column]];
                const int64_t records = std::exchange(each.seen[child], 0);
                if (!records) continue;
                each.least = std::min(each.least, records);
                if (columns_[each.column]->kind() == Kind::disclosure && records < group.records)
                    note(each, child, std::min(records, group.records - records));
            }
        for (const Surveyed& each : surveyed_)
            if (columns_[each.column]->kind() != Kind::disclosure)
                note(each, each.value, each.least);
        meter_.advance(0);
    }

    void make_room() {
        for (size_t i = 0; i < columns_.size(); ++i) {
            const size_t n = columns_[i]->n_candidates();
            links_[i].resize(std::max<size_t>(n, 1));
            narrowest_[i].resize(n, kNone);
        }
    }

    void note(const Surveyed& surveyed, int32_t candidate, int64_t least) {
        int64_t& narrowest = narrowest_[surveyed.column][candidate];
        narrowest = std::min(narrowest, least);
        if (narrowest < k_) columns_[surveyed.column]->close(candidate);
    }

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

    std::vector<Column*> columns_;
    std::vector<int32_t> rows_;  // row by row
    std::vector<int64_t> records_;
    int64_t k_;
    Meter& meter_;
    std::vector<Group> groups_;
    int64_t smallest_ = kNone;
    std::vector<std::vector<std::vector<int32_t>>> links_;  // by column and value: groups
    std::vector<std::vector<int64_t>> narrowest_;           // by column and candidate
    // Of the division at hand, and of the survey at hand.
    std::vector<int32_t> divided_, whole_, part_of_, moved_rows_;
    size_t groups_before_ = 0;
    std::vector<int64_t> moved_records_, part_records_;
    std::vector<int32_t> part_rows_;
    std::vector<std::vector<int64_t>> seen_;  // by column and child: records; all 0 between
    std::vector<Surveyed> surveyed_;
};
}  // namespace incrowd::refinement
