// Fibers: flows of control with stacks of their own, which one OS thread resumes in turn.
// SPDX-License-Identifier: Apache-2.0
//
// The simulated GPU runs each thread of a kernel as a fiber, so that a thread that waits at a
// barrier can be left and resumed.
#pragma once

#include <cstddef>
#include <vector>

namespace spio::sim {

// The fibers of an OS thread, by number. A fiber that is never resumed again is not unwound:
// whatever suspends for good must own nothing on its stack.
class fiber_pool {
  public:
    fiber_pool() = default;
    fiber_pool(fiber_pool const&) = delete;
    fiber_pool& operator=(fiber_pool const&) = delete;
    ~fiber_pool();

    // Maps stacks for at least `count` fibers. If the pool has to grow, fibers that exist are lost.
    void reserve(int count);
    // Called from outside of the fibers. start sets up fiber `number` to call run(argument); resume
    // runs the fiber until it suspends or leaves.
    void start(int number, void (*run)(void*), void* argument);
    void resume(int number);
    // Called by the current fiber: goes back to the caller of resume. A fiber that leaves is not
    // resumed.
    void suspend();
    [[noreturn]] void leave();

    // Whether the address is in the guard page below a stack.
    bool is_guard(void const* address) const;

  private:
    struct fiber {
        void* context = nullptr;
        void* fake_stack = nullptr; // of the address sanitizer
        void (*run)(void*) = nullptr;
        void* argument = nullptr;
    };

    // The lowest address of a fiber's stack, just above its guard page.
    unsigned char* bottom(int number) const;
    void unmap();
    static void enter_current(fiber_pool* pool, void* resumer);
    friend struct fiber_entry;

    std::vector<fiber> fibers_;
    unsigned char* stacks_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    int current_ = 0;
    // The context and the stack from which the current fiber was resumed.
    void* resumer_ = nullptr;
    void const* resumer_bottom_ = nullptr;
    std::size_t resumer_size_ = 0;
};

} // namespace spio::sim
