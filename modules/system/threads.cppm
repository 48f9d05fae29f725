// Threads and forks: tasks that run once, and mutexes that a new process finds free.
// SPDX-License-Identifier: Apache-2.0
//
// Only the thread that calls fork() exists in the new process. What other threads held or were
// doing there is never released or finished, so that each class here says what becomes of it.
module;

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

export module spio.system:threads;

export namespace spio {

// How many forks lie between the first process of the program and this one. What another thread
// was doing when the number was lower is never finished in this process.
std::uint64_t fork_count() noexcept;

// Functions that are called around each fork(), in the thread that forks, while the hook exists. In
// a class it is the last member, so that it is destroyed first.
class fork_hook {
  public:
    using function = void (*)(void* object);

    // `prepare` is called before the fork, `resume_parent` and `resume_child` after it, in either
    // process.
    fork_hook(void* object, function prepare, function resume_parent, function resume_child);
    fork_hook(fork_hook const&) = delete;
    fork_hook& operator=(fork_hook const&) = delete;
    ~fork_hook();

  private:
    friend class fork_hooks;
    void* object_;
    function prepare_, resume_parent_, resume_child_;
    fork_hook *previous_ = nullptr, *next_ = nullptr;
};

// A mutex that fork() waits for, so that the new process finds it free. It is held for moments
// only, and a thread that holds one takes no other.
class fork_safe_mutex {
  public:
    fork_safe_mutex() : hook_(&mutex_, lock, unlock, unlock) {}
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    std::mutex mutex_;
    fork_hook hook_;

    static void lock(void* mutex) { static_cast<std::mutex*>(mutex)->lock(); }
    static void unlock(void* mutex) { static_cast<std::mutex*>(mutex)->unlock(); }
};

// Runs tasks one after the other on a thread of its own, which starts with the first task that is
// not idle. The thread takes no signals. Thread-safe. In a process that was forked, the tasks of
// the parent are forgotten, and a new one starts a new thread.
class task_queue {
  public:
    task_queue() = default;
    task_queue(task_queue const&) = delete;
    // Drops the tasks that have not begun, and waits for the one that has.
    ~task_queue() { end(); }

    // A task that throws ends the program. After end() or end_queues(), tasks are dropped at once.
    void add(std::function<void()> task);
    // Adds a task without starting the thread, which takes time that the caller may not have:
    // start(), wait() and the next add() do it.
    void add_idle(std::function<void()> task);
    void start();
    // Waits until no task is left. A task must not call it.
    void wait();
    void end();

  private:
    struct worker;

    fork_safe_mutex mutex; // guards the members below
    std::uint64_t forks = 0;
    std::shared_ptr<worker> own;
    bool is_ended = false;

    std::shared_ptr<worker> find_worker();
    std::shared_ptr<worker> start_thread();
};

// Ends the queues of this process, those too that get their first task later: for what a task uses
// may be destroyed with the program. exit() calls it first if it is called by the main thread, and
// if that has added a task.
void end_queues();
// Has exit() end the queues before it destroys what was made until now. exit() works backwards, so
// this is called again when a library that tasks use has been opened, or has made objects.
void end_queues_at_exit();

// Runs tasks by key: while a task runs, threads that ask for its key wait for its result, or for
// its exception. Thread-safe. In a process that was forked meanwhile the task runs anew, because
// the thread that ran it is not there.
class single_flight {
  public:
    using value = std::shared_ptr<void const>;

    struct outcome {
        value result;
        bool is_own; // whether this call ran the task
    };
    // Throws if the task of this thread, directly or by way of tasks that other threads run, waits
    // for the key that it runs for.
    outcome run(std::string const& key, std::function<value()> const& task);

  private:
    // A task that runs, and its result when it is done.
    struct flight {
        std::string key;
        std::thread::id runner;
        std::mutex mutex;
        std::condition_variable done;
        bool is_done = false;
        value result = {};
        std::exception_ptr failure = {};
    };

    fork_safe_mutex mutex;
    std::uint64_t forks = 0; // fork_count() when the members below were written
    std::map<std::string, std::shared_ptr<flight>> running;
    std::map<std::thread::id, flight const*> awaited; // by the thread that waits

    void forget_other_processes();
    // Throws if waiting for this flight would be a deadlock.
    void check_cycle(flight const&) const;
    value wait(flight&);
    value fly(std::shared_ptr<flight> const&, std::function<value()> const& task);
};

} // namespace spio
