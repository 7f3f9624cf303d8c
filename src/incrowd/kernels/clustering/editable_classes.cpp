#include "clustering/editable_classes.hpp"

#include <algorithm>

namespace incrowd {

namespace {

// Adds to each of n costs what a column costs if a code joins a shape.
void add_costs(const FixedColumn& column, std::int32_t code, const std::int32_t* first,
               const std::int32_t* last, std::size_t n, std::int32_t* costs) {
    if (column.line) {
        const std::int32_t place = column.start[code], full = column.full;
        for (std::size_t c = 0; c < n; ++c)
            costs[c] += std::min(std::max(last[c], place) - std::min(first[c], place), full);
    } else if (!column.joined_cost.empty()) {
        const std::int32_t* table =
            column.joined_cost.data() + static_cast<std::size_t>(code) * column.n_nodes;
        for (std::size_t c = 0; c < n; ++c) costs[c] += table[first[c]];
    } else {
        for (std::size_t c = 0; c < n; ++c) costs[c] += column.join_cost(first[c], code);
    }
}

}  // namespace

EditableClasses::EditableClasses(std::span<const FixedColumn> columns,
                                 std::vector<std::int32_t> codes)
    : columns_(columns),
      d_(columns.size()),
      codes_(std::move(codes)),
      class_of_(codes_.size() / std::max<std::size_t>(d_, 1), -1),
      place_(class_of_.size(), -1) {
    const std::size_t n = class_of_.size();
    by_column_.resize(n * d_);
    for (std::size_t j = 0; j < d_; ++j)
        for (std::size_t i = 0; i < n; ++i)
            by_column_[j * n + i] = columns_[j].start[codes_[i * d_ + j]];
}

const std::vector<std::int32_t>& EditableClasses::pair_costs(std::int32_t item) {
    const std::size_t n = class_of_.size();
    pairs_.assign(n, 0);
    const std::int32_t* row = codes(item);
    for (std::size_t j = 0; j < d_; ++j)
        add_costs(columns_[j], row[j], by_column_.data() + j * n, by_column_.data() + j * n, n,
                  pairs_.data());
    work_ += n * d_;
    return pairs_;
}

std::int32_t EditableClasses::add_class() {
    const auto c = static_cast<std::int32_t>(size_.size());
    size_.push_back(0);
    fixed_.emplace_back();
    cost_.push_back(0);
    members_.emplace_back();
    touched_in_.push_back(0);
    if (size_.size() > room_) make_room();
    return c;
}

// Columns of classes lie apart by the room there is; growing moves them.
void EditableClasses::make_room() {
    const std::size_t before = room_, room = std::max<std::size_t>(64, 2 * size_.size());
    for (std::vector<std::int32_t>* table : {&first_, &last_}) {
        std::vector<std::int32_t> wider(d_ * room, 0);
        for (std::size_t j = 0; j < d_; ++j)
            std::copy_n(table->data() + j * before, before, wider.data() + j * room);
        table->swap(wider);
    }
    room_ = room;
}

void EditableClasses::fix(std::int32_t item, std::int64_t records) {
    const std::int32_t c = class_of_[item];
    fixed_[c].push_back({item, records});
    size_[c] += records;
}

std::int64_t EditableClasses::total() const {
    std::int64_t sum = 0;
    for (std::int32_t c = 0; c < n_classes(); ++c) sum += total(c);
    return sum;
}

const std::vector<std::int32_t>& EditableClasses::costs_with(std::int32_t item) {
    const std::size_t n = size_.size();
    scan_.assign(n, 0);
    const std::int32_t* row = codes(item);
    for (std::size_t j = 0; j < d_; ++j)
        add_costs(columns_[j], row[j], first_of(j), last_of(j), n, scan_.data());
    for (std::size_t c = 0; c < n; ++c)
        if (size_[c] == 0) scan_[c] = kDead;
    work_ += n * d_;
    return scan_;
}

EditableClasses::Best EditableClasses::best_class(std::int32_t item) {
    costs_with(item);
    Best best{-1, std::numeric_limits<std::int64_t>::max()};
    const std::size_t n = size_.size();
    for (std::size_t c = 0; c < n; ++c) {
        const std::int64_t added = scan_[c] + size_[c] * (scan_[c] - cost_[c]);
        if (added < best.added && scan_[c] != kDead) best = {static_cast<std::int32_t>(c), added};
    }
    return best;
}

EditableClasses::Best EditableClasses::best_among(std::int32_t item,
                                                  const std::vector<std::int32_t>& classes) const {
    Best best{-1, std::numeric_limits<std::int64_t>::max()};
    for (const std::int32_t c : classes) {
        if (size_[c] == 0) continue;
        const std::int32_t after = cost_with(c, item);
        const std::int64_t added = after + size_[c] * (after - cost_[c]);
        if (added < best.added) best = {c, added};
    }
    return best;
}

std::int32_t EditableClasses::cost_with(std::int32_t c, std::int32_t item) const {
    const std::int32_t* row = codes(item);
    std::int32_t cost = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        const std::int32_t first = first_[j * room_ + c];
        if (column.line) {
            const std::int32_t place = column.start[row[j]], last = last_[j * room_ + c];
            cost += std::min(std::max(last, place) - std::min(first, place), column.full);
        } else {
            cost += column.join_cost(first, row[j]);
        }
    }
    work_ += d_;
    return cost;
}

std::int32_t EditableClasses::cost_without(std::int32_t c, std::int32_t item) {
    std::int32_t cost = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
        const auto see = [&](std::int32_t other) {
            const std::int32_t code = codes(other)[j];
            low = std::min(low, code);
            high = std::max(high, code);
        };
        for (const std::int32_t other : members_[c])
            if (other != item) see(other);
        for (const Fixed& each : fixed_[c]) see(each.item);
        cost += column.span_cost(low, high);
    }
    work_ += d_ * (members_[c].size() + fixed_[c].size());
    return cost;
}

void EditableClasses::begin() {
    open_ = true;
    ++step_;
    touched_.clear();
    n_saved_ = 0;
    moves_.clear();
}

void EditableClasses::touch(std::int32_t c) {
    if (!open_ || touched_in_[c] == step_) return;
    touched_in_[c] = step_;
    touched_.push_back(c);
    if (saved_.size() == n_saved_) saved_.push_back({0, 0, std::vector<std::int32_t>(2 * d_)});
    Saved& saved = saved_[n_saved_++];
    saved.size = size_[c];
    saved.cost = cost_[c];
    for (std::size_t j = 0; j < d_; ++j) {
        saved.shape[2 * j] = first_of(j)[c];
        saved.shape[2 * j + 1] = last_of(j)[c];
    }
}

std::int64_t EditableClasses::gained() const {
    std::int64_t gain = 0;
    for (std::size_t at = 0; at < touched_.size(); ++at)
        gain += saved_[at].size * saved_[at].cost - total(touched_[at]);
    return gain;
}

void EditableClasses::roll_back() {
    for (std::size_t at = moves_.size(); at-- > 0;) {
        const Move& each = moves_[at];
        if (each.to >= 0) detach(each.item);
        if (each.from >= 0) enter(each.item, each.from);
    }
    for (std::size_t at = 0; at < touched_.size(); ++at) {
        const std::int32_t c = touched_[at];
        size_[c] = saved_[at].size;
        cost_[c] = saved_[at].cost;
        for (std::size_t j = 0; j < d_; ++j) {
            first_of(j)[c] = saved_[at].shape[2 * j];
            last_of(j)[c] = saved_[at].shape[2 * j + 1];
        }
    }
    commit();
}

void EditableClasses::commit() {
    for (const std::int32_t c : touched_)
        if (size_[c] == 0) free_.push_back(c);
    open_ = false;
}

// A class may be listed as free twice, or again be in use: what counts is that it is empty.
std::int32_t EditableClasses::open_class() {
    while (!free_.empty()) {
        const std::int32_t c = free_.back();
        free_.pop_back();
        if (size_[c] == 0) return c;
    }
    return add_class();
}

void EditableClasses::move(std::int32_t item, std::int32_t to) {
    const std::int32_t from = class_of_[item];
    touch(from);
    moves_.push_back({item, from, to});
    detach(item);
    --size_[from];
    refresh(from);
    attach(item, to);
}

void EditableClasses::take_all(std::int32_t c, std::vector<std::int32_t>& into) {
    touch(c);
    while (!members_[c].empty()) {
        const std::int32_t item = members_[c].back();
        moves_.push_back({item, c, -1});
        detach(item);
        into.push_back(item);
    }
    size_[c] = 0;
    cost_[c] = 0;
}

void EditableClasses::take(std::int32_t item) {
    const std::int32_t from = class_of_[item];
    touch(from);
    moves_.push_back({item, from, -1});
    detach(item);
    --size_[from];
}

void EditableClasses::put(std::int32_t item, std::int32_t to) {
    moves_.push_back({item, -1, to});
    attach(item, to);
}

void EditableClasses::attach(std::int32_t item, std::int32_t to) {
    touch(to);
    widen(to, codes(item), size_[to] == 0);
    enter(item, to);
    ++size_[to];
    reprice(to);
}

void EditableClasses::enter(std::int32_t item, std::int32_t to) {
    class_of_[item] = to;
    place_[item] = static_cast<std::int32_t>(members_[to].size());
    members_[to].push_back(item);
}

void EditableClasses::detach(std::int32_t item) {
    std::vector<std::int32_t>& members = members_[class_of_[item]];
    const std::int32_t last = members.back();
    members[place_[item]] = last;
    place_[last] = place_[item];
    members.pop_back();
    class_of_[item] = -1;
}

void EditableClasses::widen(std::int32_t c, const std::int32_t* row, bool first) {
    for (std::size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        std::int32_t& a = first_of(j)[c];
        if (column.line) {
            std::int32_t& b = last_of(j)[c];
            const std::int32_t place = column.start[row[j]];
            a = first ? place : std::min(a, place);
            b = first ? place : std::max(b, place);
        } else {
            a = first ? column.start[row[j]] : column.join(a, row[j]);
        }
    }
}

void EditableClasses::reprice(std::int32_t c) {
    std::int32_t cost = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        const std::int32_t a = first_of(j)[c];
        cost += column.line ? std::min(last_of(j)[c] - a, column.full) : column.cost[a];
    }
    cost_[c] = cost;
}

// Looks at all records of a class again, after some have left.
void EditableClasses::refresh(std::int32_t c) {
    bool first = true;
    const auto see = [&](std::int32_t item) {
        widen(c, codes(item), first);
        first = false;
    };
    for (const Fixed& each : fixed_[c]) see(each.item);
    for (const std::int32_t item : members_[c]) see(item);
    work_ += d_ * (members_[c].size() + fixed_[c].size());
    if (size_[c] == 0)
        cost_[c] = 0;
    else
        reprice(c);
}

}  // namespace incrowd
