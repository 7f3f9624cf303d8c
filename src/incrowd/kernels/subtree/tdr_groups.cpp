#include "subtree/tdr_groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace incrowd::refinement {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

Groups::Groups(std::vector<Column*> columns, const std::int32_t* codes,
               std::vector<std::int64_t> records, std::int64_t k, Meter& meter)
    : columns_(std::move(columns)),
      rows_(records.size() * columns_.size()),
      records_(std::move(records)),
      k_(k),
      meter_(meter),
      links_(columns_.size()),
      narrowest_(columns_.size()) {
    const std::size_t n = records_.size(), width = columns_.size();
    for (std::size_t i = 0; i < width; ++i)
        for (std::size_t row = 0; row < n; ++row) rows_[row * width + i] = codes[i * n + row];
    for (const Column* column : columns_) seen_.emplace_back(column->n_codes(), 0);
    smallest_ = std::accumulate(records_.begin(), records_.end(), std::int64_t{0});
    groups_.push_back({0, static_cast<std::int32_t>(n), smallest_});
    make_room();
    for (std::size_t i = 0; i < width; ++i) link(0, i);
    survey(0, 0, width);
}

std::int64_t Groups::smallest_after(std::size_t i, std::int32_t candidate) const {
    return std::min(smallest_, narrowest_[i][at(candidate)]);
}

void Groups::divide(std::size_t i, std::int32_t candidate) {
    const Column& column = *columns_[i];
    const bool disclosed = column.kind() == Kind::disclosure;
    const std::int32_t value = disclosed ? 0 : candidate;
    if (disclosed) {
        part_of_.assign(column.n_codes(), 0);
        part_of_[at(candidate)] = 1;
    } else {
        part_of_.assign(column.child_of(), column.child_of() + column.n_codes());
    }
    const std::size_t n_parts = column.n_children(candidate);
    part_rows_.assign(n_parts + 1, 0);
    part_records_.assign(n_parts, 0);
    divided_.clear();
    whole_.clear();
    groups_before_ = groups_.size();
    for (const std::int32_t group : std::exchange(links_[i][at(value)], {}))
        divide_group(group, i, part_of_);
}

// Sorts the rows of a group by part.  The first part keeps the group's number.
void Groups::divide_group(std::int32_t group, std::size_t i,
                          const std::vector<std::int32_t>& part_of) {
    const std::size_t width = columns_.size();
    const Group whole = groups_[at(group)];
    const std::size_t n = at(whole.end - whole.begin);
    const std::int32_t* rows = rows_.data() + at(whole.begin) * width;
    const std::int64_t* records = records_.data() + whole.begin;
    std::fill(part_rows_.begin(), part_rows_.end(), 0);
    std::fill(part_records_.begin(), part_records_.end(), 0);
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t part = at(part_of[at(rows[row * width + i])]);
        ++part_rows_[part + 1];
        part_records_[part] += records[row];
    }
    meter_.advance(0);
    if (std::find(part_rows_.begin(), part_rows_.end(), static_cast<std::int32_t>(n)) !=
        part_rows_.end()) {
        whole_.push_back(group);
        return;
    }
    divided_.push_back(group);
    std::partial_sum(part_rows_.begin(), part_rows_.end(), part_rows_.begin());
    bool first = true;
    for (std::size_t part = 0; part < part_records_.size(); ++part) {
        if (part_rows_[part] == part_rows_[part + 1]) continue;
        const Group made{whole.begin + part_rows_[part], whole.begin + part_rows_[part + 1],
                         part_records_[part]};
        smallest_ = std::min(smallest_, made.records);
        if (first) {
            groups_[at(group)] = made;
        } else {
            divided_.push_back(static_cast<std::int32_t>(groups_.size()));
            groups_.push_back(made);
        }
        first = false;
    }
    moved_rows_.resize(std::max(moved_rows_.size(), n * width));
    moved_records_.resize(std::max(moved_records_.size(), n));
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t to = at(part_rows_[at(part_of[at(rows[row * width + i])])]++);
        std::copy_n(rows + row * width, width, moved_rows_.data() + to * width);
        moved_records_[to] = records[row];
    }
    std::copy_n(moved_rows_.data(), n * width, rows_.data() + at(whole.begin) * width);
    std::copy_n(moved_records_.data(), n, records_.data() + whole.begin);
}

void Groups::survey_divided(std::size_t i) {
    make_room();
    for (const std::int32_t group : whole_) {
        link(group, i);
        if (columns_[i]->kind() != Kind::disclosure) survey(group, i, i + 1);
    }
    for (const std::int32_t group : divided_) {
        link(group, i);
        for (std::size_t other = 0; other < columns_.size(); ++other)
            if (other != i && at(group) >= groups_before_) link(group, other);
        survey(group, 0, columns_.size());
    }
}

void Groups::make_room() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t n = columns_[i]->n_candidates();
        links_[i].resize(std::max<std::size_t>(n, 1));
        narrowest_[i].resize(n, kNone);
    }
}

void Groups::link(std::int32_t group, std::size_t i) {
    const std::int32_t value = columns_[i]->value_of(first_code(group, i));
    if (value >= 0 && columns_[i]->may_change(value)) links_[i][at(value)].push_back(group);
}

// What refining the group's value in any of these columns would leave as its smallest part.  A
// group of one row cannot be divided, and groups are never smaller than the smallest.
void Groups::survey(std::int32_t number, std::size_t first, std::size_t last) {
    const Group group = groups_[at(number)];
    const std::size_t width = columns_.size();
    if (group.end - group.begin < 2) return;
    surveyed_.clear();
    for (std::size_t i = first; i < last; ++i) {
        const std::int32_t value = columns_[i]->value_of(first_code(number, i));
        if (value >= 0 && columns_[i]->may_change(value))
            surveyed_.push_back({i, value, columns_[i]->child_of(), seen_[i].data(), kNone});
    }
    if (surveyed_.empty()) return;
    const std::int32_t* rows = rows_.data();
    for (std::size_t row = at(group.begin); row < at(group.end); ++row)
        for (const Surveyed& each : surveyed_)
            each.seen[each.child_of[rows[row * width + each.column]]] += records_[row];
    for (std::size_t row = at(group.begin); row < at(group.end); ++row)
        for (Surveyed& each : surveyed_) {
            const std::int32_t child = each.child_of[rows[row * width + each.column]];
            const std::int64_t records = std::exchange(each.seen[child], 0);
            if (!records) continue;
            each.least = std::min(each.least, records);
            if (columns_[each.column]->kind() == Kind::disclosure && records < group.records)
                note(each, child, std::min(records, group.records - records));
        }
    for (const Surveyed& each : surveyed_)
        if (columns_[each.column]->kind() != Kind::disclosure) note(each, each.value, each.least);
    meter_.advance(0);
}

void Groups::note(const Surveyed& surveyed, std::int32_t candidate, std::int64_t least) {
    std::int64_t& narrowest = narrowest_[surveyed.column][at(candidate)];
    narrowest = std::min(narrowest, least);
    if (narrowest < k_) columns_[surveyed.column]->close(candidate);
}

}  // namespace incrowd::refinement
