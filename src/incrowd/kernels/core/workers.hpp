// Independent pieces of work on several threads, that tell how far they are and can be stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "core/integers.hpp"

namespace incrowd {
// What a run reports to, now and then.  An exception that the report throws ends the run.
class Meter {
  public:
    using Report = std::function<void(int64_t)>;

    explicit Meter(const Report& report) : report_(report) {}

    // Called often, by any thread; only the thread that made the meter reports.
    void advance(int64_t steps) {
        done_.fetch_add(steps, std::memory_order_relaxed);
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
        if (std::this_thread::get_id() != owner_) return;
        const auto now = Clock::now();
        if (now - reported_ < kBetweenReports) return;
        reported_ = now;
        report_(done_.load(std::memory_order_relaxed));
    }

    void stop() { stopped_.store(true, std::memory_order_relaxed); }

  private:
    using Clock = std::chrono::steady_clock;
    struct Stopped {};
    static constexpr std::chrono::milliseconds kBetweenReports{100};

    const Report& report_;
    std::thread::id owner_ = std::this_thread::get_id();
    Clock::time_point reported_ = Clock::now() - kBetweenReports;  // the first comes at once
    std::atomic<int64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

// Runs work(0) to work(pieces - 1) on that many threads, this one included, which takes the first
// piece: it alone reports.  The first exception stops the others and is thrown here.
void run_pieces(size_t pieces, size_t threads, Meter& meter,
                const std::function<void(size_t)>& work);
}  // namespace incrowd
