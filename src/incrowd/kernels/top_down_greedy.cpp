// Divides records in two around a pair of far ones, and each side again, while both sides can have k
// records: Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
//
// Works on distinct tuples with counts; a tuple is divided only where a side borrows some of its
// records.  Each side has a random generator of its own, seeded by its parent's, so that the classes
// are the same on any number of threads.  Cost: O(tuples x columns x depth of the divisions).
// Twin: tests/naive_top_down_greedy.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "arrays.hpp"
#include "top_down_division.hpp"

namespace incrowd {

namespace {

using Report = std::function<void(std::int64_t)>;
using Clock = std::chrono::steady_clock;

constexpr auto kReportInterval = std::chrono::milliseconds(50);
constexpr std::size_t kShared = 2'000;  // smaller sides stay with the thread that made them

// Threads that take a class each from one pile until none is left to be divided.
class Search {
  public:
    Search(const Division& division, const Report& report) : division_(division), report_(report) {}

    std::vector<Items> run(Whole all, std::size_t threads) {
        threads = std::min(threads, 1 + all.items.size() / (2 * kShared));
        shares_ = threads > 1;
        open_.push_back(std::move(all));
        std::vector<std::thread> others;
        others.reserve(threads);
        try {
            while (others.size() + 1 < threads) others.emplace_back([this] { work(false); });
        } catch (const std::system_error&) {  // those that there are will do
        }
        work(true);
        for (std::thread& each : others) each.join();
        if (failure_) std::rethrow_exception(failure_);
        std::sort(classes_.begin(), classes_.end());
        return std::move(classes_);
    }

  private:
    void work(bool reports) {
        try {
            Divider divider(division_);
            std::vector<Items> finished;
            std::vector<Whole> own;
            while (take(own, reports)) {
                while (!own.empty() && !stopped_) {
                    Whole whole = std::move(own.back());
                    own.pop_back();
                    if (divider.divisible(whole)) {
                        auto [first, second] = divider.divide(whole);
                        hand_on(std::move(second), own);
                        hand_on(std::move(first), own);
                    } else {
                        done_ += whole.records;
                        finished.push_back(std::move(whole.items));
                    }
                    if (reports) tell();
                }
                const std::lock_guard lock(mutex_);
                --busy_;
                changed_.notify_all();
            }
            const std::lock_guard lock(mutex_);
            std::move(finished.begin(), finished.end(), std::back_inserter(classes_));
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            stopped_ = true;
            changed_.notify_all();
        }
    }

    void hand_on(Whole whole, std::vector<Whole>& own) {
        if (!shares_ || whole.items.size() < kShared) {
            own.push_back(std::move(whole));
            return;
        }
        const std::lock_guard lock(mutex_);
        open_.push_back(std::move(whole));
        changed_.notify_one();
    }

    // Waits for a class to divide; false if there will be none.
    bool take(std::vector<Whole>& own, bool reports) {
        std::unique_lock lock(mutex_);
        const auto settled = [this] { return stopped_ || !open_.empty() || busy_ == 0; };
        while (!changed_.wait_for(lock, kReportInterval, settled)) {
            lock.unlock();
            if (reports) tell();
            lock.lock();
        }
        if (stopped_ || open_.empty()) return false;
        own.push_back(std::move(open_.back()));
        open_.pop_back();
        ++busy_;
        return true;
    }

    void tell() {
        const auto now = Clock::now();
        if (now - told_ < kReportInterval) return;
        told_ = now;
        report_(done_);
    }

    const Division& division_;
    const Report& report_;
    bool shares_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Whole> open_;
    std::int64_t busy_ = 0;
    std::atomic<bool> stopped_ = false;
    std::atomic<std::int64_t> done_ = 0;
    std::vector<Items> classes_;
    std::exception_ptr failure_;
    Clock::time_point told_ = Clock::now();
};

Whole all_records(const In<std::int64_t, 1>& records, std::uint64_t seed) {
    Whole all{{}, 0, seed};
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records.data()[i] < 1)
            throw std::invalid_argument("top_down_greedy: a tuple has no records");
        all.items.push_back({static_cast<std::int32_t>(i), records.data()[i]});
        all.records += records.data()[i];
    }
    return all;
}

std::vector<std::int32_t> row_by_row(const In<std::int32_t, 2>& codes) {
    const std::size_t d = codes.shape(0), n = codes.shape(1);
    std::vector<std::int32_t> rows(d * n);
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < n; ++i) rows[i * d + j] = codes.data()[j * n + i];
    return rows;
}

}  // namespace

void bind_top_down_greedy(nb::module_& module) {
    module.def(
        "top_down_greedy",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, nb::list columns, std::int64_t k,
           std::int64_t rounds, std::uint64_t seed, std::size_t threads, Report report) {
            Division division{shape_columns(columns), {}, k, rounds};
            if (codes.shape(1) != records.size() || records.size() == 0)
                throw std::invalid_argument("top_down_greedy: one count per tuple is needed");
            if (k < 1 || rounds < 1)
                throw std::invalid_argument("top_down_greedy: k and rounds must be 1 or more");
            check_codes(division.columns, {codes.data(), codes.size()}, records.size());
            std::vector<std::int32_t> tuple_of, class_of;
            std::vector<std::int64_t> counts;
            {
                nb::gil_scoped_release release;
                division.rows = row_by_row(codes);
                Whole all = all_records(records, seed);
                division.k = std::min(k, all.records);
                if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
                const auto classes = Search(division, report).run(std::move(all), threads);
                for (std::size_t at = 0; at < classes.size(); ++at)
                    for (const Item& item : classes[at]) {
                        tuple_of.push_back(item.tuple);
                        class_of.push_back(static_cast<std::int32_t>(at));
                        counts.push_back(item.records);
                    }
            }
            return nb::make_tuple(to_numpy(std::move(tuple_of)), to_numpy(std::move(class_of)),
                                  to_numpy(std::move(counts)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("columns"), nb::arg("k"), nb::arg("rounds"),
        nb::arg("seed"), nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
