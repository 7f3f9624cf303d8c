// Tasks for several threads; a task may add others.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
template <typename Task>
class TaskQueue {
  public:
    void add(Task&& task) {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

    // Calls work(worker, task) until no task is left, on `threads` threads, this one as worker 0,
    // which takes the first: it alone may report, and does so at least once however busy the
    // machine is.  If a call throws, the others come to an end, and it is thrown again here.
    template <typename Work>
    void run(size_t threads, const Work& work) {
        std::vector<std::thread> others;
        try {
            for (size_t worker = 1; worker < threads; ++worker)
                others.emplace_back([this, &work, worker] { serve(worker, work); });
        } catch (const std::system_error&) {  // no more threads to be had: fewer will do
        }
        serve(0, work);
        for (auto& each : others) each.join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    template <typename Work>
    void serve(size_t worker, const Work& work) {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this, worker] {
                if (!begun_) return worker == 0;
                return failure_ || !tasks_.empty() || working_ == 0;
            });
            if (!std::exchange(begun_, true)) changed_.notify_all();
            if (failure_ || tasks_.empty()) break;
            Task task = std::move(tasks_.back());
            tasks_.pop_back();
            ++working_;
            lock.unlock();
            std::exception_ptr failure;
            try {
                work(worker, task);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            --working_;
            if (failure && !failure_) failure_ = failure;
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Task> tasks_;
    bool begun_ = false;
    size_t working_ = 0;
    std::exception_ptr failure_;
};
}  // namespace incrowd
