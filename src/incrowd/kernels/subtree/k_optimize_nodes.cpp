#include "subtree/k_optimize_nodes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace incrowd {
namespace {
constexpr int64_t kNodeWork = 512;  // what a node takes beside its elements
}  // namespace

SplitNodes::SplitNodes(const CutTable& table, const AskedOfCuts& asked, const SplitItems& items,
                       bool by_target)
    : table_(table), items_(items), by_target_(by_target),
      counter_(table, table.demands[0].columns), suppression_(table), cuts_(table) {
    for (const Demand& demand : table.demands) {
        largest_ = std::max(largest_, demand.size);
        covers_.emplace_back(table.columns(), 0);
        for (size_t j : demand.columns) covers_.back()[j] = 1;
    }
    total_.resize(table.demands.size());
    total_floor_.resize(table.demands.size());
    if (asked.requirements != nullptr) asked_.emplace(table, asked);
}

SplitNode SplitNodes::root() {
    auto elements = std::make_shared<Elements>();
    elements->tuple.resize(table_.tuples);
    std::iota(elements->tuple.begin(), elements->tuple.end(), 0);
    elements->records = table_.records;
    SplitNode node;
    node.class_of.assign(table_.demands.size(), std::vector<int32_t>(table_.tuples, 0));
    node.classes.assign(table_.demands.size(), 1);
    node.elements = std::move(elements);
    node.tail.resize(items_.size());
    std::iota(node.tail.begin(), node.tail.end(), 0);
    join(node);
    return node;
}

std::optional<SplitNode> SplitNodes::added(const SplitNode& node, int32_t number, int64_t limit) {
    const Elements& elements = *node.elements;
    const size_t n = elements.size();
    const SplitItem& item = items_[number];
    SplitNode child;
    child.elements = node.elements;
    child.class_of = node.class_of;
    child.classes = node.classes;
    child.allowed = node.allowed;
    child.head = node.head;
    child.head.push_back(number);
    work_ += kNodeWork;
    const uint64_t pieces = item.places.size() + 1;
    for (size_t r = 0; r < table_.demands.size(); ++r) {
        work_ += static_cast<int64_t>(n);
        if (!covers_[r][item.column]) continue;
        set_keys(elements, item, child.class_of[r]);
        child.classes[r] = numbering_.number(
            keys_.data(), n, pieces * static_cast<uint64_t>(std::max(1, child.classes[r])),
            child.class_of[r].data());
    }
    const int64_t fell = suppression_.run(elements.records, child.class_of, child.classes, fallen_);
    child.suppressed = node.suppressed + fell;
    if (child.suppressed > limit) return std::nullopt;
    if (fell == 0) return child;
    auto kept = std::make_shared<Elements>();
    for (size_t i = 0, at = 0; i < n; ++i) {
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
                          const std::vector<int32_t>& class_of) {
    const int32_t *places = table_.column(item.column), *tuple = elements.tuple.data();
    const size_t n = elements.size();
    keys_.resize(n);
    uint64_t* keys = keys_.data();
    if (item.places.size() == 1) {
        const int32_t split = item.places[0];
        for (size_t i = 0; i < n; ++i)
            keys[i] = 2 * static_cast<uint64_t>(class_of[i]) + (places[tuple[i]] >= split);
        return;
    }
    piece_.assign(table_.sizes[item.column], 0);
    for (int32_t place : item.places) piece_[place] = 1;
    std::partial_sum(piece_.begin(), piece_.end(), piece_.begin());
    for (size_t i = 0; i < n; ++i)
        keys[i] = (item.places.size() + 1) * static_cast<uint64_t>(class_of[i]) +
                  static_cast<uint64_t>(piece_[places[tuple[i]]]);
}

// Numbers pairs of class and target; without targets these are the classes.
int32_t SplitNodes::cells(const SplitNode& node) {
    const auto& class_of = node.class_of[0];
    cell_.assign(class_of.begin(), class_of.end());
    if (!by_target_) return node.classes[0];
    keys_.resize(class_of.size());
    for (size_t i = 0; i < class_of.size(); ++i)
        keys_[i] = static_cast<uint64_t>(class_of[i]) * table_.targets +
                   table_.target[node.elements->tuple[i]];
    const auto space = static_cast<uint64_t>(node.classes[0] + 1) * table_.targets;
    return numbering_.number(keys_.data(), keys_.size(), space, cell_.data());
}

double SplitNodes::cost(const SplitNode& node, int64_t limit, double most) {
    const double cost = cost_by_size(node);  // classes that fall for more than that only add to it
    return asked_ && cost <= most ? cost_as_asked(node, limit) : cost;
}

// As a node whose elements are all tuples, of which some are suppressed.
double SplitNodes::cost_as_asked(const SplitNode& node, int64_t limit) {
    set_cuts(node, false);
    SplitNode whole;
    whole.suppressed = asked_->run(cuts_, limit, fallen_);
    work_ += asked_->work();
    if (whole.suppressed > limit) return std::numeric_limits<double>::infinity();
    auto kept = std::make_shared<Elements>();
    for (size_t i = 0; i < table_.tuples; ++i) {
        if (fallen_[i]) continue;
        kept->tuple.push_back(static_cast<int32_t>(i));
        kept->records.push_back(table_.records[i]);
    }
    whole.class_of.resize(1);
    whole.classes = {counter_.number(cuts_, kept->tuple, whole.class_of[0])};
    whole.elements = std::move(kept);
    return cost_by_size(whole);
}

double SplitNodes::cost_by_size(const SplitNode& node) {
    const Elements& elements = *node.elements;
    cell_records_.assign(cells(node), 0);
    left_.assign(node.classes[0], 0);
    most_.assign(node.classes[0], 0);
    for (size_t i = 0; i < elements.size(); ++i) {
        const int32_t q = node.class_of[0][i];
        left_[q] += elements.records[i];
        most_[q] = std::max(most_[q], cell_records_[cell_[i]] += elements.records[i]);
    }
    work_ += static_cast<int64_t>(elements.size());
    double cost = suppressed_cost() * double(node.suppressed);
    for (int32_t q = 0; q < node.classes[0]; ++q)
        cost += by_target_ ? double(left_[q] - most_[q]) : double(left_[q]) * double(left_[q]);
    return cost;
}

// Cuts the columns where items are made or, with the tail, may be; returns how many places that
// are.
size_t SplitNodes::set_cuts(const SplitNode& node, bool with_tail) {
    std::vector<uint8_t> on(items_.size() + 1, 0);  // also for the item -1, which no split has
    for (int32_t item : node.head) on[item + 1] = 1;
    if (with_tail)
        for (int32_t item : node.tail) on[item + 1] = 1;
    size_t splits = 0;
    for (size_t j = 0; j < table_.columns(); ++j) {
        const std::vector<int32_t>& before = items_.before(j);
        int32_t part = 0;
        for (size_t place = 1; place < before.size(); ++place)
            cuts_.part[j][place] = part += on[before[place] + 1];
        cuts_.parts[j] = part + 1;
        splits += before.size() - 1;
    }
    return splits;
}

void SplitNodes::join(SplitNode& node) {
    const size_t allowed = node.head.size() + node.tail.size();
    if (allowed == node.allowed && !node.elements->floor.empty()) return;
    node.allowed = allowed;
    const size_t splits = set_cuts(node, true);
    const Elements& before = *node.elements;
    std::vector<int32_t> fine, joined;
    const int32_t fines = counter_.number(cuts_, before.tuple, fine);
    joined = fine;
    if (by_target_) {
        keys_.resize(fine.size());
        for (size_t i = 0; i < fine.size(); ++i)
            keys_[i] =
                static_cast<uint64_t>(fine[i]) * table_.targets + table_.target[before.tuple[i]];
        numbering_.number(keys_.data(), keys_.size(),
                          static_cast<uint64_t>(fines + 1) * table_.targets, joined.data());
    }
    work_ += static_cast<int64_t>(before.size() * table_.columns() + splits);
    auto after = std::make_shared<Elements>();
    std::vector<int32_t> fine_of;
    for (size_t i = 0; i < before.size(); ++i) {  // numbers appear in ascending order
        if (static_cast<size_t>(joined[i]) < after->size()) {
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

void SplitNodes::set_floors(Elements& elements, const std::vector<int32_t>& fine, int32_t count) {
    elements.floor.resize(elements.size());
    if (!by_target_) {
        for (size_t i = 0; i < elements.size(); ++i)
            elements.floor[i] = double(elements.records[i]) *
                                double(std::max(elements.records[i], table_.demands[0].size));
        return;
    }
    std::vector<int32_t> leading(count, -1);
    for (size_t i = 0; i < elements.size(); ++i) {
        elements.floor[i] = double(elements.records[i]);
        int32_t& lead = leading[fine[i]];
        if (lead < 0 || elements.records[i] > elements.records[lead])
            lead = static_cast<int32_t>(i);
    }
    for (int32_t lead : leading)
        if (lead >= 0) elements.floor[lead] = 0;
}

double SplitNodes::bound(SplitNode& node) {
    join(node);
    const auto& floor = node.elements->floor;
    return std::accumulate(floor.begin(), floor.end(), suppressed_cost() * double(node.suppressed));
}

void SplitNodes::sort_by_place(const Elements& elements, size_t column) {
    const int32_t* places = table_.column(column);
    start_.assign(table_.sizes[column] + 1, 0);
    for (int32_t tuple : elements.tuple) ++start_[places[tuple] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    order_.resize(elements.size());
    for (size_t i = 0; i < elements.size(); ++i)
        order_[start_[places[elements.tuple[i]]]++] = static_cast<int32_t>(i);
    work_ += static_cast<int64_t>(elements.size());
}

// The elements between two neighbouring splits of an item, after they were sorted by place.
std::span<const int32_t> SplitNodes::piece_of(const SplitItem& item, size_t at) const {
    const int32_t low = at ? item.places[at - 1] : item.low;
    const int32_t high = at < item.places.size() ? item.places[at] : item.high;
    return {order_.data() + (low ? start_[low - 1] : 0), order_.data() + start_[high - 1]};
}
}  // namespace incrowd
