#include "core/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace incrowd {
namespace {
class Team {
  public:
    Team(size_t pieces, Meter& meter, const std::function<void(size_t)>& work)
        : pieces_(pieces), meter_(meter), work_(work) {}

    void run(size_t threads) {
        const size_t helpers = std::min(threads, pieces_) - (pieces_ > 0);
        helping_ = helpers;
        std::vector<std::thread> started;
        guarded([&] {
            for (size_t at = 0; at < helpers; ++at) started.emplace_back([this] { help(); });
            if (pieces_ > 0) work_(0);
            take_pieces();
            wait_for_helpers();
        });
        for (std::thread& each : started) each.join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void take_pieces() {
        for (size_t at = next_++; at < pieces_; at = next_++) work_(at);
    }

    void help() {
        guarded([this] { take_pieces(); });
        const std::lock_guard lock(mutex_);
        --helping_;
        done_.notify_one();
    }

    // The caller goes on reporting while others finish their last piece.
    void wait_for_helpers() {
        std::unique_lock lock(mutex_);
        while (
            !done_.wait_for(lock, std::chrono::milliseconds(100), [this] { return !helping_; })) {
            lock.unlock();
            meter_.advance(0);
            lock.lock();
        }
    }

    template <typename Step>
    void guarded(const Step& step) {
        try {
            step();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            meter_.stop();
        }
    }

    const size_t pieces_;
    Meter& meter_;
    const std::function<void(size_t)>& work_;
    std::atomic<size_t> next_{1};
    std::mutex mutex_;
    std::condition_variable done_;
    size_t helping_ = 0;
    std::exception_ptr failure_;
};
}  // namespace

void run_pieces(size_t pieces, size_t threads, Meter& meter,
                const std::function<void(size_t)>& work) {
    Team(pieces, meter, work).run(std::max<size_t>(threads, 1));
}
}  // namespace incrowd
