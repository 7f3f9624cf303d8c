#include "clustering/top_down_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/random.hpp"
#include "core/task_queue.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
constexpr size_t kShared = 2'000;  // smaller sides stay with the thread that made them

struct Whole {
    Shares items;  // in the order of their tuples
    int64_t records;
    uint64_t seed;
};

// A class that grows, with its penalty after any record joined.
class GrowingClass {
  public:
    explicit GrowingClass(std::span<const ShapeColumn> columns)
        : columns_(columns), shape_(columns), by_code_(columns.size()), tabled_(columns.size()),
          cost_(columns.size()) {}

    // Begins with one tuple; `expected` is how many times `with` will be asked, about.
    void start(const int32_t* row, int64_t records, size_t expected) {
        shape_.clear();
        shape_.join_all(row);
        records_ = records;
        for (size_t j = 0; j < columns_.size(); ++j) {
            const auto n_codes = static_cast<size_t>(columns_[j].n_codes);
            tabled_[j] = columns_[j].kind == ShapeColumn::kTree && n_codes <= 4 * expected;
            if (tabled_[j] && by_code_[j].empty()) by_code_[j].resize(n_codes);
            refresh(j);
        }
        add_up();
    }

    void join(const int32_t* row, int64_t records) {
        bool grown = false;
        for (size_t j = 0; j < columns_.size(); ++j) {
            const bool costs_more = with(j, row[j]) != cost_[j];
            shape_.join(j, row[j]);
            if (costs_more) refresh(j);  // otherwise no other record's cost has changed either
            grown |= costs_more;
        }
        records_ += records;
        if (grown) add_up();
    }

    // The penalty of one record of the class, if this one joined.
    double with(const int32_t* row) const {
        double total = 0.0;
        for (size_t j = 0; j < columns_.size(); ++j) total += with(j, row[j]);
        return total;
    }

    // What the penalty of the whole class would grow by.
    double increase(const int32_t* row, int64_t records) const {
        return static_cast<double>(records_ + records) * with(row) -
               static_cast<double>(records_) * total_;
    }

    int64_t records() const { return records_; }

  private:
    double with(size_t j, int32_t code) const {
        return tabled_[j] ? by_code_[j][code] : shape_.cost_with(j, code);
    }

    void refresh(size_t j) {
        cost_[j] = shape_.cost(j);
        if (tabled_[j]) shape_.costs_with(j, by_code_[j].data());
    }

    void add_up() {
        total_ = 0.0;
        for (const double each : cost_) total_ += each;
    }

    std::span<const ShapeColumn> columns_;
    ClassShape shape_;
    std::vector<std::vector<double>> by_code_;
    std::vector<uint8_t> tabled_;
    std::vector<double> cost_;
    double total_ = 0.0;
    int64_t records_ = 0;
};

// Divides one class at a time; keeps nothing between them but room.  Its loops over tuples are not
// inlined into each other: as one function they run a third slower.
class Divider {
  public:
    explicit Divider(const Division& division)
        : division_(division),
          sides_{GrowingClass(division.columns), GrowingClass(division.columns)} {}

    // Whether the class has 2k records, and not all of them are alike.
    bool divisible(const Whole& whole) const {
        if (whole.records < 2 * division_.k) return false;
        const int32_t* first = division_.row(whole.items.front());
        return std::ranges::any_of(whole.items, [&](const Share& item) {
            return !std::equal(first, first + division_.columns.size(), division_.row(item));
        });
    }

    [[gnu::noinline]] std::pair<Whole, Whole> divide(const Whole& whole) {
        Random random(whole.seed);
        const Shares& items = whole.items;
        const auto [u, v] = far_pair(whole, random);
        side_of_.assign(items.size(), 0);
        side_of_[v] = 1;
        sides_[0].start(row(items, u), items[u].records, items.size());
        sides_[1].start(row(items, v), items[v].records, items.size());
        deal(items, u, v, random);
        const size_t small = sides_[1].records() < sides_[0].records();
        borrow(items, small);
        auto halves = separated(whole, small);
        halves.first.seed = random.next();
        halves.second.seed = random.next();
        return halves;
    }

  private:
    const int32_t* row(const Shares& items, size_t at) const { return division_.row(items[at]); }

    // From a random record to the one farthest from it, and on from there while that goes farther.
    std::pair<size_t, size_t> far_pair(const Whole& whole, Random& random) {
        auto record = static_cast<int64_t>(random.below(static_cast<uint64_t>(whole.records)));
        size_t u = 0;
        while (record >= whole.items[u].records) record -= whole.items[u++].records;
        auto [v, distance] = farthest(whole.items, u);
        for (int64_t round = 1; round < division_.rounds; ++round) {
            const auto [next, farther] = farthest(whole.items, v);
            if (farther <= distance + kTie) break;
            u = v;
            v = next;
            distance = farther;
        }
        return {u, v};
    }

    [[gnu::noinline]] std::pair<size_t, double> farthest(const Shares& items, size_t from) {
        GrowingClass& side = sides_[0];
        side.start(row(items, from), items[from].records, items.size());
        size_t found = from == 0 ? 1 : 0;
        double most = side.with(row(items, found));
        for (size_t at = found + 1; at < items.size(); ++at) {
            if (at == from) continue;
            const double distance = side.with(row(items, at));
            if (distance > most + kTie) {
                most = distance;
                found = at;
            }
        }
        return {found, most};
    }

    // Each tuple, in random order, to the side whose penalty it increases less; then to the
    // smaller.
    [[gnu::noinline]] void deal(const Shares& items, size_t u, size_t v, Random& random) {
        order_.clear();
        for (size_t at = 0; at < items.size(); ++at)
            if (at != u && at != v) order_.push_back(at);
        for (size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[random.below(left)]);
        for (const size_t at : order_) {
            const int64_t records = items[at].records;
            const double first = sides_[0].increase(row(items, at), records);
            const double second = sides_[1].increase(row(items, at), records);
            const bool fewer = sides_[1].records() < sides_[0].records();
            const auto most =
                static_cast<double>(sides_[0].records() + sides_[1].records() + records);
            const bool equal = std::abs(first - second) <= kTie * most;
            const size_t side = equal ? fewer : second < first;
            sides_[side].join(row(items, at), records);
            side_of_[at] = static_cast<uint8_t>(side);
        }
    }

    // Fills `borrowed_`: what the smaller side takes from the other's nearest tuples to have k.
    void borrow(const Shares& items, size_t small) {
        borrowed_.assign(items.size(), 0);
        int64_t wanted = division_.k - sides_[small].records();
        if (wanted <= 0) return;
        nearest_.clear();
        for (size_t at = 0; at < items.size(); ++at)
            if (side_of_[at] != small)
                nearest_.emplace_back(sides_[small].with(row(items, at)), at);
        const size_t enough = std::min(nearest_.size(), static_cast<size_t>(wanted));
        std::partial_sort(nearest_.begin(), nearest_.begin() + enough, nearest_.end());
        for (auto each = nearest_.begin(); wanted > 0; ++each) {
            borrowed_[each->second] = std::min(items[each->second].records, wanted);
            wanted -= borrowed_[each->second];
        }
    }

    std::pair<Whole, Whole> separated(const Whole& whole, size_t small) const {
        Whole halves[2] = {{{}, 0, 0}, {{}, 0, 0}};
        for (size_t at = 0; at < whole.items.size(); ++at) {
            const auto [tuple, records] = whole.items[at];
            const size_t side = side_of_[at];
            const int64_t moved = side == small ? 0 : borrowed_[at];
            if (records > moved) halves[side].items.push_back({tuple, records - moved});
            if (moved > 0) halves[small].items.push_back({tuple, moved});
            halves[side].records += records - moved;
            halves[small].records += moved;
        }
        return {std::move(halves[0]), std::move(halves[1])};
    }

    const Division& division_;
    GrowingClass sides_[2];
    std::vector<uint8_t> side_of_;
    std::vector<size_t> order_;
    std::vector<int64_t> borrowed_;
    std::vector<std::pair<double, size_t>> nearest_;
};

// Threads that take a class each from one pile until none is left to be divided.
class Search {
  public:
    Search(const Division& division, Meter& meter) : division_(division), meter_(meter) {}

    std::vector<Shares> run(Whole all, size_t threads) {
        threads = std::max<size_t>(1, std::min(threads, 1 + all.items.size() / (2 * kShared)));
        shares_ = threads > 1;
        std::vector<Divider> dividers(threads, Divider(division_));
        std::vector<std::vector<Shares>> finished(threads);
        open_.add(std::move(all));
        open_.run(threads, [&](size_t worker, Whole& whole) {
            divide(std::move(whole), dividers[worker], finished[worker]);
        });
        std::vector<Shares> classes;
        for (std::vector<Shares>& each : finished)
            std::move(each.begin(), each.end(), std::back_inserter(classes));
        std::ranges::sort(classes);
        return classes;
    }

  private:
    void divide(Whole first, Divider& divider, std::vector<Shares>& finished) {
        std::vector<Whole> own;
        own.push_back(std::move(first));
        while (!own.empty()) {
            Whole whole = std::move(own.back());
            own.pop_back();
            if (divider.divisible(whole)) {
                auto [one, other] = divider.divide(whole);
                hand_on(std::move(other), own);
                hand_on(std::move(one), own);
                meter_.advance(0);
            } else {
                finished.push_back(std::move(whole.items));
                meter_.advance(whole.records);
            }
        }
    }

    void hand_on(Whole whole, std::vector<Whole>& own) {
        if (shares_ && whole.items.size() >= kShared) open_.add(std::move(whole));
        else own.push_back(std::move(whole));
    }

    const Division& division_;
    Meter& meter_;
    bool shares_ = false;
    TaskQueue<Whole> open_;
};
}  // namespace

Dealt top_down_greedy(const Division& division, const Tuples& tuples, uint64_t seed, size_t threads,
                      Meter& meter) {
    Whole all{{}, tuples.n_records(), seed};
    for (size_t i = 0; i < tuples.size(); ++i)
        all.items.push_back({static_cast<int32_t>(i), tuples.records[i]});
    Dealt dealt;
    for (const Shares& each : Search(division, meter).run(std::move(all), threads)) {
        for (const Share& item : each) dealt.add(item.tuple, dealt.n_classes, item.records);
        ++dealt.n_classes;
    }
    return dealt;
}
}  // namespace incrowd
