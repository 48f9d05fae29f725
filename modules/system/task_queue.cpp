// Runs tasks on a background thread, which ends before the program does.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is the thread of a queue with its tasks. exit() destroys static objects that tasks may
// use, so all queues must end first. exit() calls its handlers in reverse order: a handler that
// ends all queues is registered when the first task is added, and again when a library was opened
// whose objects tasks use. If the main thread has added a task, the queues end before the main
// thread's thread_local objects are destroyed. A forked process has none of its parent's threads:
// it leaks its copy of the worker, whose thread it could not join, and starts one of its own.
module;

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

module spio.system;

import spio.error;

namespace spio {

// The thread of a queue, and its tasks.
struct task_queue::worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool is_busy = false, ends = false;
    std::thread thread;

    void run() {
        for (std::unique_lock lock(mutex);;) {
            changed.wait(lock, [&] { return ends || !tasks.empty(); });
            if (ends) return;
            auto task = std::move(tasks.front());
            tasks.pop_front();
            is_busy = true;
            lock.unlock();
            task();
            task = {};
            lock.lock();
            is_busy = false;
            changed.notify_all();
        }
    }
    void end() {
        std::deque<std::function<void()>> dropped;
        {
            std::lock_guard const lock(mutex);
            ends = true;
            dropped.swap(tasks);
        }
        changed.notify_all();
        if (thread.joinable()) thread.join();
    }
};

namespace {

// All queues that have tasks or had some, so that exit() can end them: what a task uses must not be
// destroyed under it.
class live_queues {
  public:
    static live_queues& all() {
        // Never destroyed: a static queue may outlive any other static object.
        static auto& queues = *new live_queues;
        return queues;
    }
    // Returns false when this process has ended its queues: what a task of another thread uses may
    // be destroyed then.
    bool add(task_queue* queue) {
        std::lock_guard const lock(mutex);
        if (end_forks == fork_count()) return false;
        queues.insert(queue);
        if (!std::exchange(is_registered, true)) end_queues_at_exit();
        return true;
    }
    void remove(task_queue* queue) {
        std::lock_guard const lock(mutex);
        queues.erase(queue);
    }

    void end() {
        std::set<task_queue*> ending;
        {
            std::lock_guard const lock(mutex);
            end_forks = fork_count();
            ending = queues;
        }
        for (auto* const queue : ending) queue->end();
    }

  private:
    fork_safe_mutex mutex;
    std::set<task_queue*> queues;
    bool is_registered = false;
    std::optional<std::uint64_t> end_forks; // fork_count() when the queues were ended
};

// Ends all queues when the main thread's thread_local objects are destroyed, which is before any
// static object is. The handler of exit() would be too late for a static object that a task makes
// after it was registered: such an object is destroyed before the handler is called.
struct main_thread_end {
    ~main_thread_end() { end_queues(); }
};
void end_queues_with_main_thread() {
    if (gettid() != getpid()) return;
    thread_local main_thread_end const registered;
    static_cast<void>(registered);
}

} // namespace

void end_queues() { live_queues::all().end(); }
void end_queues_at_exit() { std::atexit(end_queues); }

// The worker of this process, whose thread may not have started; null after end(). The copy of a
// parent's worker is leaked, since its thread does not exist in this process.
std::shared_ptr<task_queue::worker> task_queue::find_worker() {
    std::lock_guard const lock(mutex);
    if (forks != fork_count()) {
        if (own) new std::shared_ptr<worker>(std::exchange(own, nullptr));
        forks = fork_count();
    }
    if (is_ended) return nullptr;
    if (!own) own = std::make_shared<worker>();
    return own;
}

// Starts the worker's thread, if there is a worker in this process and its thread has not started.
// Returns a worker whose thread cannot be had: its tasks are dropped, once no lock is held. The
// queue's mutex is held.
std::shared_ptr<task_queue::worker> task_queue::start_thread() {
    if (!own || forks != fork_count() || own->thread.joinable()) return nullptr;
    sigset_t all_signals, previous;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &previous);
    std::shared_ptr<worker> failed;
    try {
        own->thread = std::thread([started = own.get()] { started->run(); });
    } catch (...) {
        failed = std::exchange(own, nullptr);
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    return failed;
}

void task_queue::add_idle(std::function<void()> task) {
    if (!live_queues::all().add(this)) return;
    end_queues_with_main_thread();
    auto const worker = find_worker();
    if (!worker) return;
    {
        std::lock_guard const lock(worker->mutex);
        if (worker->ends) return;
        worker->tasks.push_back(std::move(task));
    }
    worker->changed.notify_all();
}

void task_queue::start() {
    std::shared_ptr<worker> failed;
    std::lock_guard const lock(mutex);
    failed = start_thread();
}

void task_queue::add(std::function<void()> task) {
    add_idle(std::move(task));
    start();
}

void task_queue::wait() {
    std::shared_ptr<worker> failed, worker;
    {
        // Under one lock: a worker that is added meanwhile has no thread to wait for.
        std::lock_guard const lock(mutex);
        failed = start_thread();
        if (forks == fork_count()) worker = own;
    }
    if (!worker) return;
    std::unique_lock lock(worker->mutex);
    worker->changed.wait(
        lock, [&] { return worker->ends || (worker->tasks.empty() && !worker->is_busy); });
}

void task_queue::end() {
    std::shared_ptr<worker> ending;
    {
        std::lock_guard const lock(mutex);
        is_ended = true;
        if (own) {
            if (forks == fork_count()) {
                ending = std::exchange(own, nullptr);
            } else {
                new std::shared_ptr<worker>(std::exchange(own, nullptr));
            }
        }
    }
    if (ending) ending->end();
    live_queues::all().remove(this);
}

} // namespace spio
