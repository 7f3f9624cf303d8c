#include "subtree/split_nodes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace incrowd {

namespace {

constexpr std::int64_t kNodeWork = 512;  // what a node takes beside its elements

// Adds to a count, and returns by how much its square grows.
double added_square(std::int64_t& count, std::int64_t more) {
    const double before = double(count), after = double(count += more);
    return after * after - before * before;
}

}  // namespace

SplitNodes::SplitNodes(const CutTable& table, const SplitItems& items, bool by_target)
    : table_(table),
      items_(items),
      by_target_(by_target),
      counter_(table, table.demands[0].columns),
      suppression_(table),
      cuts_(table) {
    for (const Demand& demand : table.demands) {
        largest_ = std::max(largest_, demand.size);
        covers_.emplace_back(table.columns(), 0);
        for (std::size_t j : demand.columns) covers_.back()[j] = 1;
    }
    total_.resize(table.demands.size());
    total_floor_.resize(table.demands.size());
}

double SplitNodes::pairs(std::int64_t records, double squares, std::int64_t least) const {
    if (records < least) return double(table_.n_records) * double(records);
    return double(records) * double(records) - (by_target_ ? squares : 0);
}

SplitNode SplitNodes::root() {
    auto elements = std::make_shared<Elements>();
    elements->tuple.resize(table_.tuples);
    std::iota(elements->tuple.begin(), elements->tuple.end(), 0);
    elements->records = table_.records;
    SplitNode node;
    node.class_of.assign(table_.demands.size(), std::vector<std::int32_t>(table_.tuples, 0));
    node.classes.assign(table_.demands.size(), 1);
    node.elements = std::move(elements);
    node.tail.resize(items_.size());
    std::iota(node.tail.begin(), node.tail.end(), 0);
    join(node);
    return node;
}

std::optional<SplitNode> SplitNodes::added(const SplitNode& node, std::int32_t number,
                                           std::int64_t limit) {
    const Elements& elements = *node.elements;
    const std::size_t n = elements.size();
    const SplitItem& item = items_[number];
    SplitNode child;
    child.elements = node.elements;
    child.class_of = node.class_of;
    child.classes = node.classes;
    child.allowed = node.allowed;
    child.head = node.head;
    child.head.push_back(number);
    work_ += kNodeWork;
    const std::uint64_t pieces = item.places.size() + 1;
    for (std::size_t r = 0; r < table_.demands.size(); ++r) {
        work_ += static_cast<std::int64_t>(n);
        if (!covers_[r][item.column]) continue;
        set_keys(elements, item, child.class_of[r]);
        child.classes[r] = numbering_.number(
            keys_.data(), n, pieces * static_cast<std::uint64_t>(std::max(1, child.classes[r])),
            child.class_of[r].data());
    }
    const std::int64_t fell =
        suppression_.run(elements.records, child.class_of, child.classes, fallen_);
    child.suppressed = node.suppressed + fell;
    if (child.suppressed > limit) return std::nullopt;
    if (fell == 0) return child;
    auto kept = std::make_shared<Elements>();
    for (std::size_t i = 0, at = 0; i < n; ++i) {
        if (fallen_[i]) continue;
        kept->tuple.push_back(elements.tuple[i]);
        kept->records.push_back(elements.records[i]);
        kept->floor.push_back(elements.floor[i]);
        for (auto& class_of : child.class_of) class_of[at] = class_of[i];
        ++at;
    }
    for (auto& class_of : child.class_of) class_of.resize(kept->size());
    child.elements = std::move(kept);
    return child;
}

// Keys by class and by how many of the item's splits lie before the place.
void SplitNodes::set_keys(const Elements& elements, const SplitItem& item,
                          const std::vector<std::int32_t>& class_of) {
    const std::int32_t *places = table_.column(item.column), *tuple = elements.tuple.data();
    const std::size_t n = elements.size();
    keys_.resize(n);
    std::uint64_t* keys = keys_.data();
    if (item.places.size() == 1) {
        const std::int32_t split = item.places[0];
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = 2 * static_cast<std::uint64_t>(class_of[i]) + (places[tuple[i]] >= split);
        return;
    }
    piece_.assign(table_.sizes[item.column], 0);
    for (std::int32_t place : item.places) piece_[place] = 1;
    std::partial_sum(piece_.begin(), piece_.end(), piece_.begin());
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = (item.places.size() + 1) * static_cast<std::uint64_t>(class_of[i]) +
                  static_cast<std::uint64_t>(piece_[places[tuple[i]]]);
}

// Numbers pairs of class and target; without targets these are the classes.
std::int32_t SplitNodes::cells(const SplitNode& node) {
    const auto& class_of = node.class_of[0];
    cell_.assign(class_of.begin(), class_of.end());
    if (!by_target_) return node.classes[0];
    keys_.resize(class_of.size());
    for (std::size_t i = 0; i < class_of.size(); ++i)
        keys_[i] = static_cast<std::uint64_t>(class_of[i]) * table_.targets +
                   table_.target[node.elements->tuple[i]];
    const auto space = static_cast<std::uint64_t>(node.classes[0] + 1) * table_.targets;
    return numbering_.number(keys_.data(), keys_.size(), space, cell_.data());
}

double SplitNodes::cost(const SplitNode& node) {
    const Elements& elements = *node.elements;
    cell_records_.assign(cells(node), 0);
    left_.assign(node.classes[0], 0);
    most_.assign(node.classes[0], 0);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::int32_t q = node.class_of[0][i];
        left_[q] += elements.records[i];
        most_[q] = std::max(most_[q], cell_records_[cell_[i]] += elements.records[i]);
    }
    work_ += static_cast<std::int64_t>(elements.size());
    double cost = suppressed_cost() * double(node.suppressed);
    for (std::int32_t q = 0; q < node.classes[0]; ++q)
        cost += by_target_ ? double(left_[q] - most_[q]) : double(left_[q]) * double(left_[q]);
    return cost;
}

void SplitNodes::join(SplitNode& node) {
    const std::size_t allowed = node.head.size() + node.tail.size();
    if (allowed == node.allowed && !node.elements->floor.empty()) return;
    node.allowed = allowed;
    std::vector<std::uint8_t> on(items_.size() + 1, 0);  // also for the item -1, which no split has
    for (const auto* some : {&node.head, &node.tail})
        for (std::int32_t item : *some) on[item + 1] = 1;
    std::size_t splits = 0;
    for (std::size_t j = 0; j < table_.columns(); ++j) {
        const std::vector<std::int32_t>& before = items_.before(j);
        std::int32_t part = 0;
        for (std::size_t place = 1; place < before.size(); ++place)
            cuts_.part[j][place] = part += on[before[place] + 1];
        cuts_.parts[j] = part + 1;
        splits += before.size() - 1;
    }
    const Elements& before = *node.elements;
    std::vector<std::int32_t> fine, joined;
    const std::int32_t fines = counter_.number(cuts_, before.tuple, fine);
    joined = fine;
    if (by_target_) {
        keys_.resize(fine.size());
        for (std::size_t i = 0; i < fine.size(); ++i)
            keys_[i] = static_cast<std::uint64_t>(fine[i]) * table_.targets +
                       table_.target[before.tuple[i]];
        numbering_.number(keys_.data(), keys_.size(),
                          static_cast<std::uint64_t>(fines + 1) * table_.targets, joined.data());
    }
    work_ += static_cast<std::int64_t>(before.size() * table_.columns() + splits);
    auto after = std::make_shared<Elements>();
    std::vector<std::int32_t> fine_of;
    for (std::size_t i = 0; i < before.size(); ++i) {  // numbers appear in ascending order
        if (static_cast<std::size_t>(joined[i]) < after->size()) {
            after->records[joined[i]] += before.records[i];
            continue;
        }
        for (auto& class_of : node.class_of) class_of[after->size()] = class_of[i];
        after->tuple.push_back(before.tuple[i]);
        after->records.push_back(before.records[i]);
        fine_of.push_back(fine[i]);
    }
    for (auto& class_of : node.class_of) class_of.resize(after->size());
    set_floors(*after, fine_of, fines);
    node.elements = std::move(after);
}

void SplitNodes::set_floors(Elements& elements, const std::vector<std::int32_t>& fine,
                            std::int32_t count) {
    elements.floor.resize(elements.size());
    if (!by_target_) {
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements.floor[i] = double(elements.records[i]) *
                                double(std::max(elements.records[i], table_.demands[0].size));
        return;
    }
    std::vector<std::int32_t> leading(count, -1);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        elements.floor[i] = double(elements.records[i]);
        std::int32_t& lead = leading[fine[i]];
        if (lead < 0 || elements.records[i] > elements.records[lead])
            lead = static_cast<std::int32_t>(i);
    }
    for (std::int32_t lead : leading)
        if (lead >= 0) elements.floor[lead] = 0;
}

double SplitNodes::bound(SplitNode& node) {
    join(node);
    const auto& floor = node.elements->floor;
    return std::accumulate(floor.begin(), floor.end(), suppressed_cost() * double(node.suppressed));
}

void SplitNodes::sort_by_place(const Elements& elements, std::size_t column) {
    const std::int32_t* places = table_.column(column);
    start_.assign(table_.sizes[column] + 1, 0);
    for (std::int32_t tuple : elements.tuple) ++start_[places[tuple] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    order_.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
        order_[start_[places[elements.tuple[i]]]++] = static_cast<std::int32_t>(i);
    work_ += static_cast<std::int64_t>(elements.size());
}

const Effects& SplitNodes::effects(const SplitNode& node) {
    const Elements& elements = *node.elements;
    effects_.cost.assign(items_.size(), 0);
    effects_.fallen.assign(items_.size(), 0);
    effects_.divided.assign(items_.size(), 0);
    for (std::size_t r = 0; r < table_.demands.size(); ++r) {
        total_[r].assign(node.classes[r], 0);
        total_floor_[r].assign(node.classes[r], 0);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            total_[r][node.class_of[r][i]] += elements.records[i];
            total_floor_[r][node.class_of[r][i]] += elements.floor[i];
        }
    }
    std::vector<std::uint8_t> asked(table_.columns(), 0);
    in_tail_.assign(items_.size(), 0);
    for (std::int32_t item : node.tail) asked[items_[item].column] = in_tail_[item] = 1;
    for (std::size_t j = 0; j < table_.columns(); ++j) {
        if (!asked[j]) continue;
        sort_by_place(elements, j);
        for (std::size_t r = 0; r < table_.demands.size(); ++r)
            if (covers_[r][j]) items_.nested(j) ? walk_nested(node, j, r) : walk(node, j, r);
    }
    return effects_;
}

// Goes through the places of a column from left to right.  Between two neighbouring places of a
// class every split divides it alike.
void SplitNodes::walk(const SplitNode& node, std::size_t column, std::size_t demand) {
    const Elements& elements = *node.elements;
    const std::int32_t* places = table_.column(column);
    const std::int64_t least = table_.demands[demand].size;
    const double each = suppressed_cost();
    const std::size_t n_classes = node.classes[demand], n_places = table_.sizes[column];
    left_.assign(n_classes, 0);
    left_floor_.assign(n_classes, 0);
    last_.assign(n_classes, -1);
    diff_cost_.assign(n_places + 1, 0);
    diff_fallen_.assign(n_places + 1, 0);
    diff_divided_.assign(n_places + 1, 0);
    for (std::int32_t i : order_) {
        const std::int32_t q = node.class_of[demand][i], place = places[elements.tuple[i]];
        if (last_[q] >= 0 && last_[q] < place) {
            const std::int64_t left = left_[q], right = total_[demand][q] - left;
            double cost = 0;
            std::int64_t fallen = 0;
            if (left < least) cost += each * double(left) - left_floor_[q], fallen += left;
            if (right < least) {
                cost += each * double(right) - (total_floor_[demand][q] - left_floor_[q]);
                fallen += right;
            }
            const std::int32_t from = last_[q] + 1, to = place + 1;
            diff_cost_[from] += cost, diff_cost_[to] -= cost;
            diff_fallen_[from] += fallen, diff_fallen_[to] -= fallen;
            ++diff_divided_[from], --diff_divided_[to];
        }
        left_[q] += elements.records[i];
        left_floor_[q] += elements.floor[i];
        last_[q] = place;
    }
    double cost = 0;
    std::int64_t fallen = 0;
    std::int32_t divided = 0;
    const std::vector<std::int32_t>& before = items_.before(column);
    for (std::size_t place = 1; place < n_places; ++place) {
        cost += diff_cost_[place];
        fallen += diff_fallen_[place];
        divided += diff_divided_[place];
        const std::int32_t item = before[place];
        if (item < 0) continue;
        // Of several demands each alone is a bound.
        effects_.cost[item] = std::max(effects_.cost[item], cost);
        effects_.fallen[item] = std::max(effects_.fallen[item], fallen);
        effects_.divided[item] += divided;
    }
    work_ += static_cast<std::int64_t>(elements.size() + n_places);
}

// The elements between two neighbouring splits of an item, after they were sorted by place.
std::span<const std::int32_t> SplitNodes::piece_of(const SplitItem& item, std::size_t at) const {
    const std::int32_t low = at ? item.places[at - 1] : item.low;
    const std::int32_t high = at < item.places.size() ? item.places[at] : item.high;
    return {order_.data() + (low ? start_[low - 1] : 0), order_.data() + start_[high - 1]};
}

// What an item does with those it asks for is what it does itself, and what they do to all but the
// places in which it lies.
void SplitNodes::walk_nested(const SplitNode& node, std::size_t column, std::size_t demand) {
    pieces_.assign(node.classes[demand], Pieces{});
    falls_.resize(items_.size());
    for (std::int32_t number : items_.of_column(column)) {
        if (!in_tail_[number]) continue;
        const SplitItem& item = items_[number];
        const bool above = item.parent >= 0 && in_tail_[item.parent];
        Fall fall = above ? falls_[item.parent] : Fall{table_.demands[demand].size};
        const std::int32_t divided = add_pieces(node, item, demand, fall);
        falls_[number] = fall;
        effects_.cost[number] =
            std::max(effects_.cost[number], suppressed_cost() * double(fall.records) - fall.floor);
        effects_.fallen[number] = std::max(effects_.fallen[number], fall.records);
        effects_.divided[number] += divided;
    }
}

// Adds what is too small between two splits of an item, but not what was so without them; returns
// how many classes the item divides.
std::int32_t SplitNodes::add_pieces(const SplitNode& node, const SplitItem& item,
                                    std::size_t demand, Fall& fall) {
    const Elements& elements = *node.elements;
    const std::vector<std::int32_t>& class_of = node.class_of[demand];
    touched_.clear();
    for (std::size_t at = 0; at <= item.places.size(); ++at) {
        const auto piece = piece_of(item, at);
        for (std::int32_t i : piece) {
            Pieces& of = pieces_[class_of[i]];
            if (of.here == 0 && of.count++ == 0) touched_.push_back(class_of[i]);
            of.here += elements.records[i];
            of.here_floor += elements.floor[i];
        }
        for (std::int32_t i : piece) {
            Pieces& of = pieces_[class_of[i]];
            fall.add(of.here, of.here_floor, 1);
            of.all += of.here;
            of.all_floor += of.here_floor;
            of.here = 0;
            of.here_floor = 0;
        }
        work_ += static_cast<std::int64_t>(piece.size()) + 1;
    }
    std::int32_t divided = 0;
    for (std::int32_t q : touched_) {
        fall.add(pieces_[q].all, pieces_[q].all_floor, -1);
        divided += pieces_[q].count > 1;
        pieces_[q] = Pieces{};
    }
    return divided;
}

const std::vector<double>& SplitNodes::changes(const SplitNode& node) {
    changes_.assign(items_.size(), 0);
    cell_records_.assign(cells(node), 0);
    total_[0].assign(node.classes[0], 0);
    total_squares_.assign(node.classes[0], 0);
    const Elements& elements = *node.elements;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::int32_t q = node.class_of[0][i];
        total_[0][q] += elements.records[i];
        total_squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
    }
    for (std::size_t j = 0; j < table_.columns(); ++j) {
        if (items_.of_column(j).empty()) continue;
        sort_by_place(elements, j);
        if (items_.nested(j)) {
            walk_nested_costs(node, j);
            continue;
        }
        walk_costs(node, j, false);
        walk_costs(node, j, true);
    }
    return changes_;
}

// Adds the pairs of the left sides of all divisions, or going backwards of the right ones.
void SplitNodes::walk_costs(const SplitNode& node, std::size_t column, bool backwards) {
    const Elements& elements = *node.elements;
    const std::int32_t* places = table_.column(column);
    const std::int64_t least = largest_;
    left_.assign(node.classes[0], 0);
    squares_.assign(node.classes[0], 0);
    last_.assign(node.classes[0], -1);
    std::fill(cell_records_.begin(), cell_records_.end(), 0);
    diff_cost_.assign(table_.sizes[column] + 1, 0);
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const std::int32_t i = backwards ? order_[order_.size() - 1 - at] : order_[at];
        const std::int32_t q = node.class_of[0][i], place = places[elements.tuple[i]];
        if (last_[q] >= 0 && last_[q] != place) {
            double cost = pairs(left_[q], squares_[q], least);
            if (!backwards) cost -= pairs(total_[0][q], total_squares_[q], least);
            diff_cost_[std::min(last_[q], place) + 1] += cost;
            diff_cost_[std::max(last_[q], place) + 1] -= cost;
        }
        left_[q] += elements.records[i];
        squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
        last_[q] = place;
    }
    double cost = 0;
    const std::vector<std::int32_t>& before = items_.before(column);
    for (std::int32_t place = 1; place < table_.sizes[column]; ++place) {
        cost += diff_cost_[place];
        if (before[place] >= 0) changes_[before[place]] += cost;
    }
    work_ += static_cast<std::int64_t>(elements.size()) + table_.sizes[column];
}

// Only items whose parent is made: their classes lie within the places that they tell apart.
void SplitNodes::walk_nested_costs(const SplitNode& node, std::size_t column) {
    in_head_.assign(items_.size(), 0);
    for (std::int32_t item : node.head) in_head_[item] = 1;
    left_.assign(node.classes[0], 0);
    squares_.assign(node.classes[0], 0);
    last_.assign(node.classes[0], -1);
    std::fill(cell_records_.begin(), cell_records_.end(), 0);
    for (std::int32_t number : items_.of_column(column)) {
        const SplitItem& item = items_[number];
        const bool ready = item.parent < 0 || in_head_[item.parent];
        changes_[number] = ready && !in_head_[number] ? nested_cost(node, number)
                                                      : std::numeric_limits<double>::infinity();
    }
}

double SplitNodes::nested_cost(const SplitNode& node, std::int32_t number) {
    const Elements& elements = *node.elements;
    const SplitItem& item = items_[number];
    double cost = 0;
    for (std::size_t at = 0; at <= item.places.size(); ++at) {
        const auto piece = piece_of(item, at);
        for (std::int32_t i : piece) {
            const std::int32_t q = node.class_of[0][i];
            if (last_[q] != number) cost -= pairs(total_[0][q], total_squares_[q], largest_);
            last_[q] = number;
            left_[q] += elements.records[i];
            squares_[q] += added_square(cell_records_[cell_[i]], elements.records[i]);
        }
        for (std::int32_t i : piece) {
            const std::int32_t q = node.class_of[0][i];
            if (left_[q] > 0) cost += pairs(left_[q], squares_[q], largest_);
            left_[q] = 0;
            squares_[q] = 0;
            cell_records_[cell_[i]] = 0;
        }
        work_ += static_cast<std::int64_t>(piece.size()) + 1;
    }
    return cost;
}

}  // namespace incrowd
