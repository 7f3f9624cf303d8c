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
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "core/task_queue.hpp"
#include "core/tuples.hpp"
#include "regions/region_columns.hpp"
#include "regions/region_results.hpp"
#include "regions/region_rows.hpp"
#include "regions/search_rows.hpp"
#include "requirements/requirements.hpp"

namespace incrowd::region_search {
// The sides of a region with more rows are tasks of their own.
constexpr size_t kRowsOfATask = 16384;
constexpr size_t kRowsBetweenReports = 1u << 20;

struct Search {
    std::vector<RegionColumn> columns;
    const Requirements& requirements;  // what the sides of a cut must hold
    int64_t size;                      // records that a side of a cut must have
    bool divides;                      // whether a tuple may lie on both sides of a cut
    size_t threads;
    std::function<void(int64_t)> report;  // told how many tuples are done
};

// Calls `work` with a number of the narrowest type that holds all codes, and others below `more`.
template <typename Work>
auto with_narrow_codes(const Search& search, size_t more, const Work& work) {
    for (const RegionColumn& column : search.columns)
        more = std::max(more, static_cast<size_t>(column.n_codes));
    // Signed 16 bits: vector instructions that every machine has compare no other ones.
    if (more <= 256) return work(uint8_t{});
    if (more <= 32768) return work(int16_t{});
    return work(int32_t{});
}

// The codes of each column.
inline std::vector<const int32_t*> lanes_of(const Search& search, const Tuples& tuples) {
    std::vector<const int32_t*> lanes;
    for (size_t j = 0; j < search.columns.size(); ++j) lanes.push_back(tuples.column(j));
    return lanes;
}

template <typename Code>
struct Task {
    std::unique_ptr<RegionRows<Code>> rows;
    int64_t records;
    size_t subtree;
};

// A region on the stack of rows, and the child that stands for it.
struct Region {
    RowRange rows;
    int64_t records;
    int64_t child;
};

struct Side {
    int32_t low;  // its first code
    int64_t records;
    int64_t borrowed = 0;  // if tuples are divided: records of the next side's first code
    RowRange rows = {};
};

struct Cut {
    size_t column = 0;
    std::vector<Side> sides;
    double score = 0.0;  // what it was chosen for, if that is a number
};

using Span = std::vector<int32_t>;  // by column

// The children of the lowest node over the codes `low` to `high`, as far as they have records.
inline void children_of_node(const RegionColumn& column, int32_t low, int32_t high,
                             const std::vector<Tally>& tallies, std::vector<Side>& sides) {
    const size_t level = column.level_over(low, high) - 1;
    sides.clear();
    for (const Tally& tally : tallies) {
        const int32_t first = column.first_at(level, tally.code);
        if (sides.empty() || sides.back().low != first) sides.push_back({first, 0});
        sides.back().records += tally.records;
    }
}

struct SomeSides {
    size_t from, to;
    RowRange rows;
};

template <typename Code, typename Cuts>
class Shared {
  public:
    explicit Shared(const Search& search) : search_(search) {}

    // Each worker has a copy of `cuts`.
    Found run(const SearchRows& given, const Cuts& cuts);

    size_t add(std::unique_ptr<RegionRows<Code>> rows, int64_t records) {
        size_t number;
        {
            const std::lock_guard lock(mutex_);
            number = subtrees_.size();
            subtrees_.emplace_back();
        }
        queue_.add({std::move(rows), records, number});
        return number;
    }

    Subtree& subtree(size_t number) {
        const std::lock_guard lock(mutex_);
        return subtrees_[number];
    }

    // About how many tuples are in regions that are done; divided ones are several rows.
    int64_t told() const {
        const double share = static_cast<double>(done) / static_cast<double>(rows_);
        return static_cast<int64_t>(std::min(share, 1.0) * static_cast<double>(tuples_));
    }

    std::atomic<int64_t> done{0};  // rows

  private:
    const Search& search_;
    size_t rows_ = 1, tuples_ = 1;
    TaskQueue<Task<Code>> queue_;
    std::deque<Subtree> subtrees_;
    std::mutex mutex_;
};

// One thread's work on one task after the other.
template <typename Code, typename Cuts>
class Worker {
  public:
    Worker(const Search& search, Shared<Code, Cuts>& shared, const Cuts& cuts, size_t lanes,
           bool reports)
        : search_(search), shared_(shared), cuts_(cuts), reports_(reports), low_(lanes),
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
            else close(region);
            tell(region.rows.size);
        }
    }

  private:
    void split(const Region& region) {
        if (search_.divides) divide(region.rows);
        else distribute(region.rows);
        const std::vector<Side>& sides = cut_.sides;
        CutTree& cuts = found_->cuts;
        const auto node = static_cast<int64_t>(cuts.column.size());
        const auto first = cuts.child.size();
        point(region, node);
        cuts.column.push_back(static_cast<int32_t>(cut_.column));
        found_->score.push_back(cut_.score);
        cuts.first.push_back(static_cast<int64_t>(first));
        for (const Side& side : sides) {
            cuts.low.push_back(side.low);
            cuts.child.push_back(0);
        }
        const bool share = search_.threads > 1 && region.rows.size > kRowsOfATask;
        for (size_t s = sides.size(); s-- > 0;)  // the last side lies at the bottom
            if (share) hand_over(sides[s], first + s);
            else
                open_.push_back({sides[s].rows, sides[s].records, static_cast<int64_t>(first + s)});
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
            const size_t middle = some.from + (some.to - some.from + 1) / 2;
            const size_t right = rows_->cut(some.rows, cut_.column, sides[middle].low);
            waiting_.push_back({middle, some.to, {some.rows.start, right}});
            waiting_.push_back(
                {some.from, middle, {some.rows.start + right, some.rows.size - right}});
        }
    }

    void hand_over(const Side& side, size_t child) {
        auto rows = std::make_unique<RegionRows<Code>>(*rows_, side.rows);
        found_->tasks.emplace_back(child, shared_.add(std::move(rows), side.records));
    }

    void close(const Region& region) {
        point(region, ~found_->regions++);
        for (size_t j = 0; j < search_.columns.size(); ++j) {
            found_->low.push_back(low_[j]);
            found_->high.push_back(high_[j] + (region.rows.size > 0));
        }
        shared_.done += static_cast<int64_t>(region.rows.size);
        if (!search_.divides) return;
        found_->first_part.push_back(found_->tuple.size());
        for (size_t r = 0; r < region.rows.size; ++r) {
            found_->tuple.push_back(rows_->number(region.rows.start + r));
            found_->records.push_back(rows_->records(region.rows.start + r));
        }
    }

    void point(const Region& region, int64_t to) {
        if (region.child >= 0) found_->cuts.child[region.child] = to;
    }

    void tell(size_t rows) {
        seen_ += rows;
        if (!reports_ || seen_ < kRowsBetweenReports) return;
        seen_ = 0;
        search_.report(shared_.told());
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
    size_t seen_ = kRowsBetweenReports;  // the first report comes at once: who waits sees a sign
};

template <typename Code, typename Cuts>
Found Shared<Code, Cuts>::run(const SearchRows& given, const Cuts& cuts) {
    const size_t lanes = given.lanes().size();
    auto rows = std::make_unique<RegionRows<Code>>(lanes, !given.numbers().empty());
    rows->load(given.lanes(), given.records().data(), given.numbers().data(), given.size());
    rows_ = std::max<size_t>(1, given.size());
    tuples_ = given.tuples();
    const size_t threads = rows->size() > kRowsOfATask ? search_.threads : 1;
    const std::span<const int64_t> records = given.records();
    add(std::move(rows), std::accumulate(records.begin(), records.end(), int64_t{0}));
    std::vector<Worker<Code, Cuts>> workers;
    for (size_t w = 0; w < threads; ++w) workers.emplace_back(search_, *this, cuts, lanes, w == 0);
    queue_.run(threads, [&](size_t worker, Task<Code>& task) { workers[worker].run(task); });
    return joined(subtrees_, search_.columns.size(), search_.divides);
}
}  // namespace incrowd::region_search
