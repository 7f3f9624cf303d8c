// The records that look alike on the columns of one requirement, while these are refined (QITS).
// Twin: tests/naive/tdr.py.
//
// The distinct tuples of the requirement's columns lie group by group.  Refining a value touches
// the groups that show it (its link) and no others: each is divided, and the parts are surveyed for
// the smallest group that any further refinement would make.  The disclosure of a value touches the
// rows that have it: they leave their groups, and of what is left only that is looked at again
// which has become less.  Groups only get smaller, so the smallest seen so far is the smallest
// there is.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "core/workers.hpp"
#include "subtree/tdr_columns.hpp"
#include "subtree/tdr_rows.hpp"
#include "subtree/tdr_tallies.hpp"

namespace incrowd::refinement {
class Groups {
  public:
    // `codes` is column-major: column i of the requirement starts at i * records.size().
    Groups(std::vector<Column*> columns, const int32_t* codes, std::vector<int64_t> records,
           int64_t k, Meter& meter)
        : columns_(std::move(columns)), n_(records.size()),
          rows_(codes, std::move(records), columns_.size(),
                std::ranges::any_of(columns_, discloses)),
          k_(k), meter_(meter), links_(columns_.size()), narrowest_(columns_.size()) {
        const size_t width = columns_.size();
        smallest_ = 0;
        for (size_t row = 0; row < n_; ++row) smallest_ += rows_.records(row);
        for (size_t i = 0; i < width; ++i) {
            const size_t n_codes = columns_[i]->n_codes();
            seen_.emplace_back(n_codes, 0);
            with_code_.emplace_back(std::nullopt);
            if (discloses(columns_[i])) with_code_[i].emplace(codes + i * n_, n_, n_codes);
        }
        groups_.push_back({0, static_cast<int32_t>(n_), smallest_});
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
        divided_.clear();
        whole_.clear();
        left_.clear();
        groups_before_ = groups_.size();
        const Column& column = *columns_[i];
        if (discloses(&column)) return disclose(i, candidate);
        part_of_.assign(column.child_of(), column.child_of() + column.n_codes());
        const size_t n_parts = column.n_children(candidate);
        part_rows_.assign(n_parts + 1, 0);
        part_records_.assign(n_parts, 0);
        for (const int32_t group : std::exchange(links_[i][candidate], {})) divide_group(group, i);
    }

    void survey_divided(size_t i) {
        make_room();
        for (const int32_t group : left_) survey_rest(group);
        for (const int32_t group : whole_) {
            link(group, i);
            survey(group, i, i + 1);
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

    static bool discloses(const Column* column) { return column->kind() == Kind::disclosure; }

    int32_t first_code(int32_t group, size_t i) const { return rows_.at(groups_[group].begin)[i]; }

    // The value that a group shows in column i if it may be refined, or -1.
    int32_t open_value(int32_t group, size_t i) const {
        const int32_t value = columns_[i]->value_of(first_code(group, i));
        return value >= 0 && columns_[i]->may_change(value) ? value : -1;
    }

    // The rows that have a code leave their groups, each for a group of their own.
    void disclose(size_t i, int32_t code) {
        leaving_.clear();
        for (const int32_t row : with_code_[i]->with(code))
            leaving_.emplace_back(rows_.group_of(row), row);
        std::ranges::sort(leaving_);
        for (size_t from = 0, to; from < leaving_.size(); from = to) {
            const int32_t group = leaving_[from].first;
            for (to = from; to < leaving_.size() && leaving_[to].first == group;) ++to;
            if (static_cast<size_t>(groups_[group].end - groups_[group].begin) > to - from)
                leave(group, from, to);
        }
        meter_.advance(0);
    }

    // What is left of a group that few rows leave is looked at by its tally, which hashes: where
    // many leave, surveying the rest is faster than making one.
    void leave(int32_t group, size_t from, size_t to) {
        Group& rest = groups_[group];
        const bool few = (to - from) * kFew < static_cast<size_t>(rest.end - rest.begin);
        GroupTally* const tally = few || tallies_.contains(group) ? &tally_of(group) : nullptr;
        Group made{rest.end, rest.end, 0};
        for (size_t at = from; at < to; ++at) {
            const auto place = static_cast<size_t>(--rest.end);
            rows_.exchange(rows_.place_of(leaving_[at].second), place);
            made.records += rows_.records(place);
            for (size_t j = 0; tally != nullptr && j < columns_.size(); ++j)
                tally->take(j, columns_[j]->child_of()[rows_.at(place)[j]], rows_.records(place));
        }
        made.begin = rest.end;
        rest.records -= made.records;
        smallest_ = std::min({smallest_, rest.records, made.records});
        (tally != nullptr ? left_ : divided_).push_back(group);
        add_group(made);
    }

    void add_group(const Group& made) {
        const auto number = static_cast<int32_t>(groups_.size());
        rows_.set_group(made.begin, made.end, number);
        divided_.push_back(number);
        groups_.push_back(made);
    }

    GroupTally& tally_of(int32_t group) {
        const auto [found, fresh] = tallies_.try_emplace(group, columns_.size());
        if (fresh)
            for (int32_t row = groups_[group].begin; row < groups_[group].end; ++row)
                for (size_t j = 0; j < columns_.size(); ++j)
                    found->second.add(j, columns_[j]->child_of()[rows_.at(row)[j]],
                                      rows_.records(row));
        return found->second;
    }

    // What is left of a group after a disclosure.  Children that nobody left are as many as before,
    // and were noted then; but of a value that more than half have, fewer others are left.
    void survey_rest(int32_t number) {
        const Group group = groups_[number];
        GroupTally& tally = tallies_.at(number);
        const bool several = group.end - group.begin > 1;
        tally.each_changed([&](size_t i, int32_t child, int64_t records) {
            const int32_t value = several ? open_value(number, i) : -1;
            if (value < 0) return;
            if (!discloses(columns_[i])) note(i, value, records);
            else if (records < group.records)
                note(i, child, std::min(records, group.records - records));
        });
        for (size_t i = 0; several && i < columns_.size(); ++i) {
            int64_t records = 0;
            if (!discloses(columns_[i]) || open_value(number, i) < 0) continue;
            const int32_t child = tally.majority(i, group.records, records);
            if (child >= 0 && records < group.records) note(i, child, group.records - records);
        }
    }

    // Sorts the rows of a group by part.  The first part keeps the group's number.
    void divide_group(int32_t group, size_t i) {
        const Group whole = groups_[group];
        const size_t n = whole.end - whole.begin;
        tallies_.erase(group);
        std::ranges::fill(part_rows_, 0);
        std::ranges::fill(part_records_, 0);
        for (int32_t row = whole.begin; row < whole.end; ++row) {
            const size_t part = part_of_[rows_.at(row)[i]];
            ++part_rows_[part + 1];
            part_records_[part] += rows_.records(row);
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
            if (first) groups_[group] = made;
            else add_group(made);
            first = false;
        }
        to_.resize(n);
        for (size_t row = 0; row < n; ++row)
            to_[row] = part_rows_[part_of_[rows_.at(whole.begin + row)[i]]]++;
        rows_.reorder(whole.begin, to_);
    }

    // Disclosures find their rows by code.
    void link(int32_t group, size_t i) {
        if (discloses(columns_[i])) return;
        if (const int32_t value = open_value(group, i); value >= 0)
            links_[i][value].push_back(group);
    }

    // What refining the group's value in any of these columns would leave as its smallest part.  A
    // group of one row cannot be divided, and groups are never smaller than the smallest.
    void survey(int32_t number, size_t first, size_t last) {
        const Group group = groups_[number];
        if (group.end - group.begin < 2) return;
        surveyed_.clear();
        for (size_t i = first; i < last; ++i)
            if (const int32_t value = open_value(number, i); value >= 0)
                surveyed_.push_back({i, value, columns_[i]->child_of(), seen_[i].data(), kNone});
        if (surveyed_.empty()) return;
        const size_t width = columns_.size();
        const int32_t* codes = rows_.at(group.begin);
        for (int32_t row = group.begin; row < group.end; ++row, codes += width)
            for (const Surveyed& each : surveyed_)
                each.seen[each.child_of[codes[each.column]]] += rows_.records(row);
        codes = rows_.at(group.begin);
        for (int32_t row = group.begin; row < group.end; ++row, codes += width)
            for (Surveyed& each : surveyed_) {
                const int32_t child = each.child_of[codes[each.column]];
                const int64_t records = std::exchange(each.seen[child], 0);
                if (!records) continue;
                each.least = std::min(each.least, records);
                if (discloses(columns_[each.column]) && records < group.records)
                    note(each.column, child, std::min(records, group.records - records));
            }
        for (const Surveyed& each : surveyed_)
            if (!discloses(columns_[each.column])) note(each.column, each.value, each.least);
        meter_.advance(0);
    }

    void make_room() {
        for (size_t i = 0; i < columns_.size(); ++i) {
            const size_t n = columns_[i]->n_candidates();
            links_[i].resize(std::max<size_t>(n, 1));
            narrowest_[i].resize(n, kNone);
        }
    }

    void note(size_t i, int32_t candidate, int64_t least) {
        int64_t& narrowest = narrowest_[i][candidate];
        narrowest = std::min(narrowest, least);
        if (narrowest < k_) columns_[i]->close(candidate);
    }

    static constexpr size_t kFew = 16;  // rows that leave, as a part of their group
    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

    std::vector<Column*> columns_;
    size_t n_;
    GroupedRows rows_;
    int64_t k_;
    Meter& meter_;
    std::vector<Group> groups_;
    int64_t smallest_ = kNone;
    std::vector<std::vector<std::vector<int32_t>>> links_;  // by column and value: groups
    std::vector<std::optional<RowsByCode>> with_code_;      // by column, if it discloses
    std::unordered_map<int32_t, GroupTally> tallies_;       // of groups that rows have left
    std::vector<std::vector<int64_t>> narrowest_;           // by column and candidate
    // Of the division at hand, and of the survey at hand.
    std::vector<int32_t> divided_, whole_, left_, part_of_, to_;
    std::vector<std::pair<int32_t, int32_t>> leaving_;  // group and row
    size_t groups_before_ = 0;
    std::vector<int64_t> part_records_;
    std::vector<int32_t> part_rows_;
    std::vector<std::vector<int64_t>> seen_;  // by column and child: records; all 0 between
    std::vector<Surveyed> surveyed_;
};
}  // namespace incrowd::refinement
