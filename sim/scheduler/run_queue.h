// A queue of threads that can run.
// SPDX-License-Identifier: Apache-2.0
//
// Each OS thread has such queues of the simulated threads that it runs, one at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace spio::sim {

struct gpu_thread;

class run_queue {
  public:
    std::size_t size() const { return threads_.size() - first_; }
    // The thread that is `position` places behind the first.
    gpu_thread* peek(std::size_t position) const { return threads_[first_ + position]; }
    void push(gpu_thread& thread) { threads_.push_back(&thread); }
    // Removes the first thread and returns it; returns null if the queue is empty.
    gpu_thread* pop() {
        if (first_ == threads_.size()) {
            threads_.clear();
            first_ = 0;
            return nullptr;
        }
        auto* const thread = threads_[first_++];
        // A queue that never runs empty must not grow for ever.
        if (first_ >= 4096 && 2 * first_ >= threads_.size()) {
            threads_.erase(threads_.begin(),
                           threads_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        return thread;
    }
    // Removes the thread at `position` and returns it. The first thread takes its place.
    gpu_thread* pop(std::size_t position) {
        std::swap(threads_[first_], threads_[first_ + position]);
        return pop();
    }

  private:
    std::vector<gpu_thread*> threads_;
    std::size_t first_ = 0;
};

} // namespace spio::sim
