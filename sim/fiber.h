// Fibers: flows of control with stacks of their own, taken up and laid down by one OS thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace spio::sim {

// All fibers of an OS thread. A fiber that is never resumed needs no unwinding: whoever suspends
// for good has nothing on its stack that owns anything.
class fibers {
  public:
    fibers() = default;
    fibers(fibers const&) = delete;
    fibers& operator=(fibers const&) = delete;
    ~fibers();

    // Makes room for so many; where there is too little, those that were there are forgotten.
    void reserve(int count);
    // From outside: the fiber of this number, which is new or has come to its end, will call
    // run(what), or goes on with it.
    void start(int number, void (*run)(void*), void* what);
    void resume(int number);
    // From within: back to where it was resumed.
    void suspend();
    [[noreturn]] void leave();

    // Whether the address is in the guard below a stack.
    bool is_guard(void const* address) const;

  private:
    struct fiber {
        void* context = nullptr;
        void* fake_stack = nullptr;
        void (*run)(void*) = nullptr;
        void* what = nullptr;
    };

    unsigned char* bottom(int number) const;
    void unmap();
    static void enter_current(fibers* all, void* from);
    friend struct fiber_entry;

    std::vector<fiber> all_;
    unsigned char* stacks_ = nullptr;
    std::size_t mapped_ = 0;
    int current_ = 0;
    void* outside_ = nullptr;
    void const* outside_bottom_ = nullptr;
    std::size_t outside_size_ = 0;
};

} // namespace spio::sim
