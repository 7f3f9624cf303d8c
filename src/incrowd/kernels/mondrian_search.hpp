// Mondrian: cut regions at medians, or into nodes of a hierarchy, while all sides are large enough.
//
// O(tuples x depth): each cut reads the tuples of its region a few times.  Large regions are tasks
// of their own for any thread; the result depends on no order in which they are cut.
// LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cut_tree.hpp"
#include "region_columns.hpp"
#include "region_rows.hpp"
#include "task_queue.hpp"

namespace incrowd::mondrian {

// The sides of a region with more rows are tasks of their own.
constexpr std::size_t kRowsOfATask = 16384;
constexpr std::size_t kRowsBetweenReports = 1u << 20;

enum class Split { median, relaxed, hierarchy };

struct Search {
    std::vector<RegionColumn> columns;
    std::int64_t size;  // records that a side of a cut must have
    Split split;
    std::size_t threads;
    std::function<void(std::int64_t)> report;  // told how many tuples are done
};

// What is found in one task; some of its children may be other tasks.
struct Subtree {
    CutTree cuts;
    std::vector<std::pair<std::size_t, std::size_t>> tasks;  // child, number of the task's subtree
    std::vector<std::int32_t> low, high;                     // by region and column; high exclusive
    // Relaxed alone: the parts of tuples, region after region, and the first part of each region.
    std::vector<std::int32_t> tuple;
    std::vector<std::int64_t> records;
    std::vector<std::size_t> first_part;
    std::int64_t regions = 0;
};

struct Found {
    SplitTree tree;
    std::vector<std::int32_t> low, high;
    std::vector<std::int32_t> tuple, class_of;  // relaxed alone: by part, as are `records`
    std::vector<std::int64_t> records;
    std::int32_t n_classes = 0;
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& some) {
    to.insert(to.end(), some.begin(), some.end());
}

template <typename Code>
struct Task {
    std::unique_ptr<RegionRows<Code>> rows;
    std::int64_t records;
    std::size_t subtree;
};

// A region on the stack of rows, and the child that stands for it.
struct Region {
    RowRange rows;
    std::int64_t records;
    std::int64_t child;
};

struct Side {
    std::int32_t low;  // its first code
    std::int64_t records;
    RowRange rows;
};

struct SomeSides {
    std::size_t from, to;
    RowRange rows;
};

template <typename Code>
class Shared {
public:
    explicit Shared(const Search& search) : search_(search) {}

    // `codes` is column-major: column j starts at j * records.size().
    Found run(std::span<const std::int32_t> codes, std::span<const std::int64_t> records);

    std::size_t add(std::unique_ptr<RegionRows<Code>> rows, std::int64_t records) {
        std::size_t number;
        {
            const std::lock_guard lock(mutex_);
            number = subtrees_.size();
            subtrees_.emplace_back();
        }
        queue_.add({std::move(rows), records, number});
        return number;
    }

    Subtree& subtree(std::size_t number) {
        const std::lock_guard lock(mutex_);
        return subtrees_[number];
    }

    std::atomic<std::int64_t> done{0};

private:
    Found joined() const;
    void write(const Subtree& from, std::size_t region, Found& into) const;

    const Search& search_;
    TaskQueue<Task<Code>> queue_;
    std::deque<Subtree> subtrees_;
    std::mutex mutex_;
};

// One thread's work on one task after the other.
template <typename Code>
class Worker {
public:
    Worker(const Search& search, Shared<Code>& shared, bool reports)
        : search_(search),
          shared_(shared),
          reports_(reports),
          low_(search.columns.size()),
          high_(search.columns.size()),
          tried_(search.columns.size()) {}

    void run(Task<Code>& task) {
        rows_ = task.rows.get();
        found_ = &shared_.subtree(task.subtree);
        open_.push_back({{0, rows_->size()}, task.records, -1});
        while (!open_.empty()) {
            const Region region = open_.back();
            open_.pop_back();
            if (region.rows.size) rows_->span(region.rows, low_.data(), high_.data());
            if (find_cut(region))
                split(region);
            else
                close(region);
            tell(region.rows.size);
        }
    }

private:
    // Sets `column_` and `sides_` to the allowable cut of the widest column that has one.
    bool find_cut(const Region& region) {
        if (region.records - search_.size < search_.size) return false;
        std::fill(tried_.begin(), tried_.end(), false);
        while (widest()) {
            rows_->tally(region.rows, column_, low_[column_], high_[column_], tallies_);
            if (search_.split == Split::hierarchy)
                children_of_node();
            else if (search_.split == Split::median)
                median(region.records);
            else
                halves(region.records);
            if (std::all_of(sides_.begin(), sides_.end(),
                            [this](const Side& side) { return side.records >= search_.size; }))
                return true;
            tried_[column_] = true;
        }
        return false;
    }

    // Sets `column_` to the widest column that was not tried; of equally wide ones, the first.
    bool widest() {
        double most = 0.0;
        bool any = false;
        for (std::size_t j = 0; j < low_.size(); ++j) {
            if (tried_[j] || low_[j] == high_[j]) continue;
            const double width = search_.columns[j].width_over(low_[j], high_[j]);
            if (!any || width > most) {
                most = width;
                column_ = j;
            }
            any = true;
        }
        return any;
    }

    // Left of the cut: codes up to the smallest that has half of the records at or below it.  If
    // that is the largest code, up to the one before it.
    void median(std::int64_t records) {
        std::size_t at = 0;
        std::int64_t below = tallies_[0].records;
        while (at + 2 < tallies_.size() && below < records - below) below += tallies_[++at].records;
        sides_ = {{low_[column_], below, {}}, {tallies_[at].code + 1, records - below, {}}};
    }

    // One half of the records each; the second begins with the code at which they are divided.
    void halves(std::int64_t records) {
        std::size_t at = 0;
        std::int64_t below = tallies_[0].records;
        while (below < records - below) below += tallies_[++at].records;
        sides_ = {{low_[column_], records - records / 2, {}}, {tallies_[at].code, records / 2, {}}};
    }

    // The children of the lowest node over the region, as far as they have records.
    void children_of_node() {
        const RegionColumn& column = search_.columns[column_];
        const std::size_t level = column.level_over(low_[column_], high_[column_]) - 1;
        sides_.clear();
        for (const Tally& tally : tallies_) {
            const std::int32_t first = column.first_at(level, tally.code);
            if (sides_.empty() || sides_.back().low != first) sides_.push_back({first, 0, {}});
            sides_.back().records += tally.records;
        }
    }

    void split(const Region& region) {
        if (search_.split == Split::relaxed)
            divide(region.rows);
        else
            distribute(region.rows);
        CutTree& cuts = found_->cuts;
        const auto node = static_cast<std::int64_t>(cuts.column.size());
        const auto first = cuts.child.size();
        point(region, node);
        cuts.column.push_back(static_cast<std::int32_t>(column_));
        cuts.first.push_back(static_cast<std::int64_t>(first));
        for (const Side& side : sides_) {
            cuts.low.push_back(side.low);
            cuts.child.push_back(0);
        }
        const bool share = search_.threads > 1 && region.rows.size > kRowsOfATask;
        for (std::size_t s = sides_.size(); s-- > 0;)  // the last side lies at the bottom
            if (share)
                hand_over(sides_[s], first + s);
            else
                open_.push_back({sides_[s].rows, sides_[s].records,
                                 static_cast<std::int64_t>(first + s)});
    }

    void divide(RowRange rows) {
        std::int64_t rest = sides_[0].records;  // what the code in the middle has to add
        for (const Tally& tally : tallies_)
            if (tally.code < sides_[1].low) rest -= tally.records;
        const auto [right, left] = rows_->divide(rows, column_, sides_[1].low, rest);
        sides_[1].rows = {rows.start, right};
        sides_[0].rows = {rows.start + right, left};
    }

    void distribute(RowRange rows) {
        waiting_.push_back({0, sides_.size(), rows});
        while (!waiting_.empty()) {
            const SomeSides some = waiting_.back();
            waiting_.pop_back();
            if (some.to - some.from == 1) {
                sides_[some.from].rows = some.rows;
                continue;
            }
            const std::size_t middle = some.from + (some.to - some.from + 1) / 2;
            const std::size_t right = rows_->cut(some.rows, column_, sides_[middle].low);
            waiting_.push_back({middle, some.to, {some.rows.start, right}});
            waiting_.push_back(
                {some.from, middle, {some.rows.start + right, some.rows.size - right}});
        }
    }

    void hand_over(const Side& side, std::size_t child) {
        auto rows = std::make_unique<RegionRows<Code>>(*rows_, side.rows);
        found_->tasks.emplace_back(child, shared_.add(std::move(rows), side.records));
    }

    void close(const Region& region) {
        point(region, ~found_->regions++);
        for (std::size_t j = 0; j < low_.size(); ++j) {
            found_->low.push_back(low_[j]);
            found_->high.push_back(high_[j] + (region.rows.size > 0));
        }
        shared_.done += static_cast<std::int64_t>(region.rows.size);
        if (search_.split != Split::relaxed) return;
        found_->first_part.push_back(found_->tuple.size());
        for (std::size_t r = 0; r < region.rows.size; ++r) {
            found_->tuple.push_back(rows_->tuple(region.rows.start + r));
            found_->records.push_back(rows_->records(region.rows.start + r));
        }
    }

    void point(const Region& region, std::int64_t to) {
        if (region.child >= 0) found_->cuts.child[static_cast<std::size_t>(region.child)] = to;
    }

    void tell(std::size_t rows) {
        seen_ += rows;
        if (!reports_ || seen_ < kRowsBetweenReports) return;
        seen_ = 0;
        search_.report(shared_.done);
    }

    const Search& search_;
    Shared<Code>& shared_;
    const bool reports_;
    RegionRows<Code>* rows_ = nullptr;
    Subtree* found_ = nullptr;
    std::vector<Region> open_;
    std::vector<std::int32_t> low_, high_;
    std::vector<std::uint8_t> tried_;
    std::vector<Tally> tallies_;
    std::vector<Side> sides_;
    std::vector<SomeSides> waiting_;
    std::size_t column_ = 0;
    std::size_t seen_ = 0;
};

template <typename Code>
Found Shared<Code>::run(std::span<const std::int32_t> codes,
                        std::span<const std::int64_t> records) {
    auto rows = std::make_unique<RegionRows<Code>>(search_.columns.size(),
                                                   search_.split == Split::relaxed);
    rows->load(codes.data(), records.data(), records.size());
    const std::size_t threads = rows->size() > kRowsOfATask ? search_.threads : 1;
    add(std::move(rows), std::accumulate(records.begin(), records.end(), std::int64_t{0}));
    std::vector<Worker<Code>> workers;
    for (std::size_t w = 0; w < threads; ++w) workers.emplace_back(search_, *this, w == 0);
    queue_.run(threads, [&](std::size_t worker, Task<Code>& task) { workers[worker].run(task); });
    return joined();
}

// Puts the subtrees together; regions are numbered depth first.
template <typename Code>
Found Shared<Code>::joined() const {
    CutTree all;
    std::vector<std::int64_t> first_node, first_child, first_region;
    std::int64_t regions = 0;
    for (const Subtree& subtree : subtrees_) {
        first_node.push_back(static_cast<std::int64_t>(all.column.size()));
        first_child.push_back(static_cast<std::int64_t>(all.child.size()));
        first_region.push_back(regions);
        regions += subtree.regions;
        append(all.column, subtree.cuts.column);
        append(all.low, subtree.cuts.low);
        for (const std::int64_t first : subtree.cuts.first)
            all.first.push_back(first + first_child.back());
        for (const std::int64_t child : subtree.cuts.child)
            all.child.push_back(child < 0 ? child - first_region.back()
                                          : child + first_node.back());
    }
    for (std::size_t s = 0; s < subtrees_.size(); ++s)
        for (const auto& [child, task] : subtrees_[s].tasks)
            all.child[static_cast<std::size_t>(first_child[s]) + child] =
                subtrees_[task].cuts.column.empty() ? ~first_region[task] : first_node[task];
    Found found{split_tree(all), {}, {}, {}, {}, {}, 0};
    for (const std::int64_t region : found.tree.region) {
        const auto s = static_cast<std::size_t>(
            std::upper_bound(first_region.begin(), first_region.end(), region) -
            first_region.begin() - 1);
        write(subtrees_[s], static_cast<std::size_t>(region - first_region[s]), found);
    }
    return found;
}

template <typename Code>
void Shared<Code>::write(const Subtree& from, std::size_t region, Found& into) const {
    const auto d = static_cast<std::ptrdiff_t>(search_.columns.size());
    const auto at = static_cast<std::ptrdiff_t>(region) * d;
    into.low.insert(into.low.end(), from.low.begin() + at, from.low.begin() + at + d);
    into.high.insert(into.high.end(), from.high.begin() + at, from.high.begin() + at + d);
    if (search_.split != Split::relaxed) return;
    const std::size_t end =
        region + 1 < from.first_part.size() ? from.first_part[region + 1] : from.tuple.size();
    for (std::size_t part = from.first_part[region]; part < end; ++part) {
        into.tuple.push_back(from.tuple[part]);
        into.records.push_back(from.records[part]);
        into.class_of.push_back(into.n_classes);
    }
    ++into.n_classes;
}

}  // namespace incrowd::mondrian
