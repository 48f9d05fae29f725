// Work that several threads share.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

module spio.aot:parallel;

namespace spio::aot {

// Calls do_one for each number below count, from several threads; the first failure ends it.
template <class F> void in_parallel(std::size_t count, unsigned jobs, F const& do_one) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    auto const work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                do_one(i);
            } catch (...) {
                next = count;
                std::lock_guard const lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    std::vector<std::jthread> threads;
    auto const most = jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min<std::size_t>(most, count); ++i) threads.emplace_back(work);
    work();
    threads.clear();
    if (failure) std::rethrow_exception(failure);
}

} // namespace spio::aot
