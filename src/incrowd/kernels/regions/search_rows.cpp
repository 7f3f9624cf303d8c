#include "regions/search_rows.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd::region_search {
namespace {
// Tuples stand by their codes, so that those with equal codes in all columns are neighbours.  By
// place: whether another row starts there.
std::vector<uint8_t> starts_of_runs(const std::vector<const int32_t*>& lanes, size_t columns,
                                    size_t n) {
    std::vector<uint8_t> starts(n, 0);
    if (n) starts[0] = 1;
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 1; i < n; ++i) starts[i] |= lanes[j][i] != lanes[j][i - 1];
    return starts;
}

// Orders the tuples of each run by another lane; each value of it starts a row.
void sort_runs(const int32_t* lane, std::vector<uint8_t>& starts, std::vector<size_t>& order) {
    for (size_t from = 0, to; from < order.size(); from = to) {
        to = from + 1;
        while (to < order.size() && !starts[to]) ++to;
        std::stable_sort(order.begin() + from, order.begin() + to,
                         [lane](size_t a, size_t b) { return lane[a] < lane[b]; });
        for (size_t i = from + 1; i < to; ++i) starts[i] = lane[order[i]] != lane[order[i - 1]];
    }
}
}  // namespace

SearchRows::SearchRows(const Requirements& requirements, bool divides, size_t columns,
                       std::vector<const int32_t*> lanes, std::span<const int64_t> records)
    : lanes_(std::move(lanes)), records_(records), tuples_(records.size()) {
    if (divides) {
        numbers_.resize(tuples_);
        std::iota(numbers_.begin(), numbers_.end(), 0);
    } else if (!requirements.only_sizes()) {
        merge(requirements, columns);
    }
}

void SearchRows::merge(const Requirements& requirements, size_t columns) {
    std::vector<uint8_t> starts = starts_of_runs(lanes_, columns, tuples_);
    std::vector<size_t> order(tuples_);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t j = columns; j < lanes_.size(); ++j) sort_runs(lanes_[j], starts, order);
    parts_.reserve(tuples_);
    for (size_t i = 0; i < tuples_; ++i) {
        if (starts[i]) {
            numbers_.push_back(static_cast<int32_t>(i));
            merged_records_.push_back(0);
        }
        const bool last = i + 1 == tuples_ || starts[i + 1];
        parts_.push_back({records_[order[i]], requirements.kind()[order[i]], last});
        merged_records_.back() += parts_.back().records;
    }
    for (const int32_t*& lane : lanes_) {
        std::vector<int32_t>& codes = merged_codes_.emplace_back();
        codes.reserve(numbers_.size());
        for (const int32_t first : numbers_) codes.push_back(lane[order[first]]);
        lane = codes.data();
    }
    records_ = merged_records_;
}
}  // namespace incrowd::region_search
