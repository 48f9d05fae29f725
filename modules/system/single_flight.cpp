// Runs tasks once, and waits for those that other threads run.
// SPDX-License-Identifier: Apache-2.0
//
// A flight is one run of a task by its key: threads that ask for the key meanwhile wait for the
// result.
module;

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

module spio.system;

import spio.error;

namespace spio {

// What threads of a parent process were running or waiting for does not end in this process. Their
// flights are not destroyed: the memory of those threads, which is never released, refers to them.
void single_flight::forget_other_processes() {
    if (forks == fork_count()) return;
    forks = fork_count();
    running.clear();
    awaited.clear();
}

// Follows the threads that wait for each other. If they lead back to this one, none would ever end.
void single_flight::check_cycle(flight const& wanted) const {
    for (auto const* next = &wanted;;) {
        if (next->runner == std::this_thread::get_id()) {
            throw error(error_kind::invalid, "wait", wanted.key.substr(0, wanted.key.find('\n')),
                        "what is being done for it asks for it again");
        }
        auto const waiting = awaited.find(next->runner);
        if (waiting == awaited.end()) return;
        next = waiting->second;
    }
}

single_flight::value single_flight::wait(flight& other) {
    {
        std::unique_lock lock(other.mutex);
        other.done.wait(lock, [&] { return other.is_done; });
    }
    std::lock_guard const lock(mutex);
    awaited.erase(std::this_thread::get_id());
    if (other.failure) std::rethrow_exception(other.failure);
    return other.result;
}

single_flight::value single_flight::fly(std::shared_ptr<flight> const& own,
                                        std::function<value()> const& task) {
    value result;
    std::exception_ptr failure;
    try {
        result = task();
    } catch (...) {
        failure = std::current_exception();
    }
    {
        std::lock_guard const lock(mutex);
        auto const found = running.find(own->key);
        if (found != running.end() && found->second == own) running.erase(found);
    }
    {
        std::lock_guard const lock(own->mutex);
        own->result = result;
        own->failure = failure;
        own->is_done = true;
    }
    own->done.notify_all();
    if (failure) std::rethrow_exception(failure);
    return result;
}

single_flight::outcome single_flight::run(std::string const& key,
                                          std::function<value()> const& task) {
    auto const own = std::make_shared<flight>();
    own->key = key;
    own->runner = std::this_thread::get_id();
    std::shared_ptr<flight> other;
    {
        std::lock_guard const lock(mutex);
        forget_other_processes();
        auto const [entry, is_first] = running.try_emplace(key, own);
        if (!is_first) {
            other = entry->second;
            check_cycle(*other);
            awaited.insert_or_assign(own->runner, other.get());
        }
    }
    if (other) return {wait(*other), /*is_own=*/false};
    return {fly(own, task), /*is_own=*/true};
}

} // namespace spio
