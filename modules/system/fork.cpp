// Calls all hooks around each fork().
// SPDX-License-Identifier: Apache-2.0
//
// After a fork only the forking thread exists in the new process: a mutex that another thread held
// would stay locked. So objects register a hook, which locks its mutex before the fork and unlocks
// it after, in both processes.
module;

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

module spio.system;

namespace spio {

namespace {

std::atomic<std::uint64_t> forks = 0;

} // namespace

std::uint64_t fork_count() noexcept { return forks.load(std::memory_order_relaxed); }

// The list of all hooks. Its mutex is held during a fork.
class fork_hooks {
  public:
    static fork_hooks& all() {
        // Never destroyed: a hook of a static object may outlive any other static object.
        static auto& hooks = *new fork_hooks;
        return hooks;
    }
    void add(fork_hook& hook) {
        std::lock_guard const lock(mutex_);
        hook.next_ = first_;
        if (first_ != nullptr) first_->previous_ = &hook;
        first_ = &hook;
    }
    void remove(fork_hook& hook) {
        std::lock_guard const lock(mutex_);
        (hook.previous_ == nullptr ? first_ : hook.previous_->next_) = hook.next_;
        if (hook.next_ != nullptr) hook.next_->previous_ = hook.previous_;
    }

  private:
    std::mutex mutex_;
    fork_hook* first_ = nullptr;

    fork_hooks() {
        pthread_atfork(
            [] {
                all().mutex_.lock();
                all().call(&fork_hook::prepare_);
            },
            [] {
                all().call(&fork_hook::resume_parent_);
                all().mutex_.unlock();
            },
            [] {
                forks.fetch_add(1, std::memory_order_relaxed);
                all().call(&fork_hook::resume_child_);
                all().mutex_.unlock();
            });
    }
    // Calls one of the functions of each hook: that before a fork, or one of those behind it.
    void call(fork_hook::function fork_hook::* step) {
        for (auto* hook = first_; hook != nullptr; hook = hook->next_) (hook->*step)(hook->object_);
    }
};

fork_hook::fork_hook(void* object, function prepare, function resume_parent, function resume_child)
    : object_(object),
      prepare_(prepare),
      resume_parent_(resume_parent),
      resume_child_(resume_child) {
    fork_hooks::all().add(*this);
}

fork_hook::~fork_hook() { fork_hooks::all().remove(*this); }

} // namespace spio
