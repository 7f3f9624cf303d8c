// Cut regions of tuples as long as one of them has an allowable cut, whichever cuts those are.
//
// O(tuples x depth) beside the choice of the cuts.  Large regions are tasks of their own for any
// thread; the result depends on no order in which they are cut.
//
// `Cuts` chooses the cuts: `bool find(rows, region, low, high, cut)` sets `cut` to the one of a
// region with these smallest and largest codes by column, or says that there is none.
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

#include "core/task_queue.hpp"
#include "regions/cut_tree.hpp"
#include "regions/region_columns.hpp"
#include "regions/region_rows.hpp"

namespace incrowd::region_search {

// The sides of a region with more rows are tasks of their own.
constexpr std::size_t kRowsOfATask = 16384;
constexpr std::size_t kRowsBetweenReports = 1u << 20;

struct Search {
    std::vector<RegionColumn> columns;
    std::int64_t size;  // records that a side of a cut must have
    bool divides;       // whether a tuple may lie on both sides of a cut
    std::size_t threads;
    std::function<void(std::int64_t)> report;  // told how many tuples are done
};

// What is found in one task; some of its children may be other tasks.
struct Subtree {
    CutTree cuts;
    std::vector<double> score;                               // by node
    std::vector<std::pair<std::size_t, std::size_t>> tasks;  // child, number of the task's subtree
    std::vector<std::int32_t> low, high;                     // by region and column; high exclusive
    // If tuples are divided: their parts, region after region, and the first part of each region.
    std::vector<std::int32_t> tuple;
    std::vector<std::int64_t> records;
    std::vector<std::size_t> first_part;
    std::int64_t regions = 0;
};

struct Found {
    CutTree cuts;               // the root comes first, if there is any cut
    std::vector<double> score;  // by node of `cuts`
    SplitTree tree;
    std::vector<std::int32_t> low, high;        // by region of `tree` and column
    std::vector<std::int32_t> tuple, class_of;  // if tuples are divided: by part, as `records`
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
    std::int64_t borrowed = 0;  // if tuples are divided: records of the next side's first code
    RowRange rows = {};
};

struct Cut {
    std::size_t column = 0;
    std::vector<Side> sides;
    double score = 0.0;  // what it was chosen for, if that is a number
};

using Span = std::vector<std::int32_t>;  // by column

// The children of the lowest node over the codes `low` to `high`, as far as they have records.
inline void children_of_node(const RegionColumn& column, std::int32_t low, std::int32_t high,
                             const std::vector<Tally>& tallies, std::vector<Side>& sides) {
    const std::size_t level = column.level_over(low, high) - 1;
    sides.clear();
    for (const Tally& tally : tallies) {
        const std::int32_t first = column.first_at(level, tally.code);
        if (sides.empty() || sides.back().low != first) sides.push_back({first, 0});
        sides.back().records += tally.records;
    }
}

struct SomeSides {
    std::size_t from, to;
    RowRange rows;
};

template <typename Code, typename Cuts>
class Shared {
  public:
    explicit Shared(const Search& search) : search_(search) {}

    // A lane is the codes of all tuples in a column.  Those after the columns' are never cut.  Each
    // worker has a copy of `cuts`.
    Found run(const std::vector<const std::int32_t*>& lanes, std::span<const std::int64_t> records,
              const Cuts& cuts);

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
template <typename Code, typename Cuts>
class Worker {
  public:
    Worker(const Search& search, Shared<Code, Cuts>& shared, const Cuts& cuts, std::size_t lanes,
           bool reports)
        : search_(search),
          shared_(shared),
          cuts_(cuts),
          reports_(reports),
          low_(lanes),
          high_(lanes) {}

    void run(Task<Code>& task) {
        rows_ = task.rows.get();
        found_ = &shared_.subtree(task.subtree);
        open_.push_back({{0, rows_->size()}, task.records, -1});
        while (!open_.empty()) {
            const Region region = open_.back();
            open_.pop_back();
            if (region.rows.size) rows_->span(region.rows, low_.data(), high_.data());
            if (region.records - search_.size >= search_.size &&
                cuts_.find(*rows_, region, low_, high_, cut_))
                split(region);
            else
                close(region);
            tell(region.rows.size);
        }
    }

  private:
    void split(const Region& region) {
        if (search_.divides)
            divide(region.rows);
        else
            distribute(region.rows);
        const std::vector<Side>& sides = cut_.sides;
        CutTree& cuts = found_->cuts;
        const auto node = static_cast<std::int64_t>(cuts.column.size());
        const auto first = cuts.child.size();
        point(region, node);
        cuts.column.push_back(static_cast<std::int32_t>(cut_.column));
        found_->score.push_back(cut_.score);
        cuts.first.push_back(static_cast<std::int64_t>(first));
        for (const Side& side : sides) {
            cuts.low.push_back(side.low);
            cuts.child.push_back(0);
        }
        const bool share = search_.threads > 1 && region.rows.size > kRowsOfATask;
        for (std::size_t s = sides.size(); s-- > 0;)  // the last side lies at the bottom
            if (share)
                hand_over(sides[s], first + s);
            else
                open_.push_back(
                    {sides[s].rows, sides[s].records, static_cast<std::int64_t>(first + s)});
    }

    void divide(RowRange rows) {
        Side &one = cut_.sides[0], &other = cut_.sides[1];
        const auto [right, left] = rows_->divide(rows, cut_.column, other.low, one.borrowed);
        other.rows = {rows.start, right};
        one.rows = {rows.start + right, left};
    }

    void distribute(RowRange rows) {
        std::vector<Side>& sides = cut_.sides;
        waiting_.push_back({0, sides.size(), rows});
        while (!waiting_.empty()) {
            const SomeSides some = waiting_.back();
            waiting_.pop_back();
            if (some.to - some.from == 1) {
                sides[some.from].rows = some.rows;
                continue;
            }
            const std::size_t middle = some.from + (some.to - some.from + 1) / 2;
            const std::size_t right = rows_->cut(some.rows, cut_.column, sides[middle].low);
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
        for (std::size_t j = 0; j < search_.columns.size(); ++j) {
            found_->low.push_back(low_[j]);
            found_->high.push_back(high_[j] + (region.rows.size > 0));
        }
        shared_.done += static_cast<std::int64_t>(region.rows.size);
        if (!search_.divides) return;
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
    Shared<Code, Cuts>& shared_;
    Cuts cuts_;
    Cut cut_;
    const bool reports_;
    RegionRows<Code>* rows_ = nullptr;
    Subtree* found_ = nullptr;
    std::vector<Region> open_;
    Span low_, high_;  // by lane
    std::vector<SomeSides> waiting_;
    std::size_t seen_ = 0;
};

template <typename Code, typename Cuts>
Found Shared<Code, Cuts>::run(const std::vector<const std::int32_t*>& lanes,
                              std::span<const std::int64_t> records, const Cuts& cuts) {
    auto rows = std::make_unique<RegionRows<Code>>(lanes.size(), search_.divides);
    rows->load(lanes, records.data(), records.size());
    const std::size_t threads = rows->size() > kRowsOfATask ? search_.threads : 1;
    add(std::move(rows), std::accumulate(records.begin(), records.end(), std::int64_t{0}));
    std::vector<Worker<Code, Cuts>> workers;
    for (std::size_t w = 0; w < threads; ++w)
        workers.emplace_back(search_, *this, cuts, lanes.size(), w == 0);
    queue_.run(threads, [&](std::size_t worker, Task<Code>& task) { workers[worker].run(task); });
    return joined();
}

// Puts the subtrees together; regions are numbered depth first.
template <typename Code, typename Cuts>
Found Shared<Code, Cuts>::joined() const {
    Found found;
    CutTree& all = found.cuts;
    std::vector<std::int64_t> first_node, first_child, first_region;
    std::int64_t regions = 0;
    for (const Subtree& subtree : subtrees_) {
        first_node.push_back(static_cast<std::int64_t>(all.column.size()));
        first_child.push_back(static_cast<std::int64_t>(all.child.size()));
        first_region.push_back(regions);
        regions += subtree.regions;
        append(all.column, subtree.cuts.column);
        append(all.low, subtree.cuts.low);
        append(found.score, subtree.score);
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
    found.tree = split_tree(all);
    for (const std::int64_t region : found.tree.region) {
        const auto s = static_cast<std::size_t>(
            std::upper_bound(first_region.begin(), first_region.end(), region) -
            first_region.begin() - 1);
        write(subtrees_[s], static_cast<std::size_t>(region - first_region[s]), found);
    }
    return found;
}

template <typename Code, typename Cuts>
void Shared<Code, Cuts>::write(const Subtree& from, std::size_t region, Found& into) const {
    const auto d = static_cast<std::ptrdiff_t>(search_.columns.size());
    const auto at = static_cast<std::ptrdiff_t>(region) * d;
    into.low.insert(into.low.end(), from.low.begin() + at, from.low.begin() + at + d);
    into.high.insert(into.high.end(), from.high.begin() + at, from.high.begin() + at + d);
    if (!search_.divides) return;
    const std::size_t end =
        region + 1 < from.first_part.size() ? from.first_part[region + 1] : from.tuple.size();
    for (std::size_t part = from.first_part[region]; part < end; ++part) {
        into.tuple.push_back(from.tuple[part]);
        into.records.push_back(from.records[part]);
        into.class_of.push_back(into.n_classes);
    }
    ++into.n_classes;
}

}  // namespace incrowd::region_search
