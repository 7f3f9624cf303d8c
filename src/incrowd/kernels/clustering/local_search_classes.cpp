#include "clustering/local_search_classes.hpp"

#include <algorithm>

namespace incrowd {
EditableClasses::EditableClasses(std::span<const FixedColumn> columns, std::vector<int32_t> codes)
    : columns_(columns), d_(columns.size()), codes_(std::move(codes)),
      class_of_(codes_.size() / std::max<size_t>(d_, 1), -1), place_(class_of_.size(), -1) {
    const size_t n = class_of_.size();
    by_column_.resize(n * d_);
    for (size_t j = 0; j < d_; ++j)
        for (size_t i = 0; i < n; ++i)
            by_column_[j * n + i] = columns_[j].start[codes_[i * d_ + j]];
}

int32_t EditableClasses::add_class() {
    const auto c = static_cast<int32_t>(size_.size());
    size_.push_back(0);
    fixed_.emplace_back();
    ends_.emplace_back();
    cost_.push_back(0);
    members_.emplace_back();
    touched_in_.push_back(0);
    if (size_.size() > room_) make_room();
    return c;
}

// Columns of classes lie apart by the room there is; growing moves them.
void EditableClasses::make_room() {
    const size_t before = room_, room = std::max<size_t>(64, 2 * size_.size());
    for (std::vector<int32_t>* table : {&first_, &last_}) {
        std::vector<int32_t> wider(d_ * room, 0);
        for (size_t j = 0; j < d_; ++j)
            std::copy_n(table->data() + j * before, before, wider.data() + j * room);
        table->swap(wider);
    }
    room_ = room;
}

void EditableClasses::fix(int32_t item, int64_t records) {
    const int32_t c = class_of_[item];
    fixed_[c].push_back({item, records});
    ends_[c].clear();
    size_[c] += records;
}

int64_t EditableClasses::total() const {
    int64_t sum = 0;
    for (int32_t c = 0; c < n_classes(); ++c) sum += total(c);
    return sum;
}

void EditableClasses::begin() {
    open_ = true;
    ++step_;
    touched_.clear();
    n_saved_ = 0;
    moves_.clear();
}

void EditableClasses::touch(int32_t c) {
    if (!open_ || touched_in_[c] == step_) return;
    touched_in_[c] = step_;
    touched_.push_back(c);
    if (saved_.size() == n_saved_) saved_.push_back({0, 0, std::vector<int32_t>(2 * d_)});
    Saved& saved = saved_[n_saved_++];
    saved.size = size_[c];
    saved.cost = cost_[c];
    for (size_t j = 0; j < d_; ++j) {
        saved.shape[2 * j] = first_of(j)[c];
        saved.shape[2 * j + 1] = last_of(j)[c];
    }
}

int64_t EditableClasses::gained() const {
    int64_t gain = 0;
    for (size_t at = 0; at < touched_.size(); ++at)
        gain += saved_[at].size * saved_[at].cost - total(touched_[at]);
    return gain;
}

void EditableClasses::roll_back() {
    for (size_t at = moves_.size(); at-- > 0;) {
        const Move& each = moves_[at];
        if (each.to >= 0) detach(each.item);
        if (each.from >= 0) enter(each.item, each.from);
    }
    for (size_t at = 0; at < touched_.size(); ++at) {
        const int32_t c = touched_[at];
        size_[c] = saved_[at].size;
        cost_[c] = saved_[at].cost;
        for (size_t j = 0; j < d_; ++j) {
            first_of(j)[c] = saved_[at].shape[2 * j];
            last_of(j)[c] = saved_[at].shape[2 * j + 1];
        }
    }
    commit();
}

void EditableClasses::commit() {
    for (const int32_t c : touched_)
        if (size_[c] == 0) free_.push_back(c);
    open_ = false;
}

// A class may be listed as free twice, or again be in use: what counts is that it is empty.
int32_t EditableClasses::open_class() {
    while (!free_.empty()) {
        const int32_t c = free_.back();
        free_.pop_back();
        if (size_[c] == 0) return c;
    }
    return add_class();
}

void EditableClasses::move(int32_t item, int32_t to) {
    const int32_t from = class_of_[item];
    touch(from);
    moves_.push_back({item, from, to});
    detach(item);
    --size_[from];
    refresh(from);
    attach(item, to);
}

void EditableClasses::take_all(int32_t c, std::vector<int32_t>& into) {
    touch(c);
    while (!members_[c].empty()) {
        const int32_t item = members_[c].back();
        moves_.push_back({item, c, -1});
        detach(item);
        into.push_back(item);
    }
    size_[c] = 0;
    cost_[c] = 0;
}

void EditableClasses::take(int32_t item) {
    const int32_t from = class_of_[item];
    touch(from);
    moves_.push_back({item, from, -1});
    detach(item);
    --size_[from];
}

void EditableClasses::put(int32_t item, int32_t to) {
    moves_.push_back({item, -1, to});
    attach(item, to);
}

void EditableClasses::attach(int32_t item, int32_t to) {
    touch(to);
    widen(to, codes(item), size_[to] == 0);
    enter(item, to);
    ++size_[to];
    reprice(to);
}

void EditableClasses::enter(int32_t item, int32_t to) {
    class_of_[item] = to;
    place_[item] = static_cast<int32_t>(members_[to].size());
    members_[to].push_back(item);
    ends_[to].clear();
}

void EditableClasses::detach(int32_t item) {
    std::vector<int32_t>& members = members_[class_of_[item]];
    const int32_t last = members.back();
    members[place_[item]] = last;
    place_[last] = place_[item];
    members.pop_back();
    ends_[class_of_[item]].clear();
    class_of_[item] = -1;
}

void EditableClasses::widen(int32_t c, const int32_t* row, bool first) {
    for (size_t j = 0; j < d_; ++j) {
        const FixedColumn& column = columns_[j];
        int32_t& a = first_of(j)[c];
        if (column.line) {
            int32_t& b = last_of(j)[c];
            const int32_t place = column.start[row[j]];
            a = first ? place : std::min(a, place);
            b = first ? place : std::max(b, place);
        } else {
            a = first ? column.start[row[j]] : column.join(a, row[j]);
        }
    }
}

int32_t EditableClasses::unit_cost(int32_t c, size_t j) const {
    const FixedColumn& column = columns_[j];
    const int32_t a = first_[j * room_ + c];
    return column.line ? std::min(last_[j * room_ + c] - a, column.full) : column.cost[a];
}

void EditableClasses::reprice(int32_t c) {
    int32_t cost = 0;
    for (size_t j = 0; j < d_; ++j) cost += unit_cost(c, j);
    cost_[c] = cost;
}

// Looks at all records of a class again, after some have left.
void EditableClasses::refresh(int32_t c) {
    bool first = true;
    const auto see = [&](int32_t item) {
        widen(c, codes(item), first);
        first = false;
    };
    for (const Fixed& each : fixed_[c]) see(each.item);
    for (const int32_t item : members_[c]) see(item);
    work_ += d_ * (members_[c].size() + fixed_[c].size());
    if (size_[c] == 0) cost_[c] = 0;
    else reprice(c);
}
}  // namespace incrowd
