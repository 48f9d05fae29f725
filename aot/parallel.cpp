// Work that several threads share.
// SPDX-License-Identifier: Apache-2.0
//
// The compilers of a pack's kernels are programs, so that as many threads wait for them as there
// are processors.
module;

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

module spio.aot;

namespace spio::aot {

// Calls f(0) … f(count - 1) on up to `jobs` threads, or on one for each processor if it is 0. After
// the first failure no further call begins, and that failure is thrown.
void in_parallel(std::size_t count, unsigned jobs, std::function<void(std::size_t)> const& f) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    auto const work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                f(i);
            } catch (...) {
                next = count;
                std::lock_guard const lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    std::vector<std::jthread> threads;
    auto const most = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min<std::size_t>(most, count); ++i) threads.emplace_back(work);
    work();
    threads.clear();
    if (failure) std::rethrow_exception(failure);
}

} // namespace spio::aot
