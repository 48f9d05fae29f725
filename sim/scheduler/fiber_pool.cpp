// Switches between fibers by Boost.Context, and tells the address sanitizer about each switch.
// SPDX-License-Identifier: Apache-2.0
//
// A fiber is a flow of control with a stack of its own; each simulated thread runs as one. Its slot
// has the stack, and a guard page below it.
#include "sim/scheduler/fiber_pool.h"

#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <sys/mman.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace spio::sim {

namespace context = boost::context::detail;

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t slot_bytes = 256 * 1024;

struct fiber_entry {
    static void enter(context::transfer_t resumer) {
        fiber_pool::enter_current(static_cast<fiber_pool*>(resumer.data), resumer.fctx);
    }
};

// The next three functions tell the address sanitizer which stack is in use. They do nothing
// without it.
static void begin_switch(void** fake_stack, void const* bottom, std::size_t size) {
#if __has_feature(address_sanitizer)
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#else
    (void)fake_stack, (void)bottom, (void)size;
#endif
}
static void end_switch(void* fake_stack, void const** bottom, std::size_t* size) {
#if __has_feature(address_sanitizer)
    __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
#else
    (void)fake_stack, (void)bottom, (void)size;
#endif
}
static void unpoison(void const* bottom, std::size_t size) {
#if __has_feature(address_sanitizer)
    __asan_unpoison_memory_region(bottom, size);
#else
    (void)bottom, (void)size;
#endif
}

fiber_pool::~fiber_pool() { unmap(); }

void fiber_pool::unmap() {
    if (stacks_ == nullptr) return;
    unpoison(stacks_, mapped_bytes_);
    munmap(stacks_, mapped_bytes_);
    stacks_ = nullptr;
}

void fiber_pool::reserve(int count) {
    auto const needed = static_cast<std::size_t>(count);
    if (needed > fibers_.size()) {
        unmap();
        mapped_bytes_ = needed * slot_bytes;
        void* const stacks = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (stacks == MAP_FAILED) throw std::bad_alloc();
        stacks_ = static_cast<unsigned char*>(stacks);
        fibers_.resize(needed);
        for (int i = 0; i < count; i++) mprotect(stacks_ + i * slot_bytes, page_bytes, PROT_NONE);
    }
}

unsigned char* fiber_pool::bottom(int number) const {
    return stacks_ + static_cast<std::size_t>(number) * slot_bytes + page_bytes;
}

bool fiber_pool::is_guard(void const* address) const {
    auto const* const byte = static_cast<unsigned char const*>(address);
    if (stacks_ == nullptr || byte < stacks_ || byte >= stacks_ + mapped_bytes_) return false;
    return static_cast<std::size_t>(byte - stacks_) % slot_bytes < page_bytes;
}

void fiber_pool::start(int number, void (*run)(void*), void* argument) {
    auto& fiber = fibers_[static_cast<std::size_t>(number)];
    // Stacks begin at different distances from the tops of their slots, so that the hot parts of
    // stacks lie in different cache sets. The distances are multiples of three cache lines of 64
    // bytes, and repeat after a prime number of stacks.
    constexpr int distances = 61;
    constexpr std::size_t step_bytes = 192, line_bytes = 64;
    auto const spread = static_cast<std::size_t>(number % distances) * step_bytes;
    auto* const top = bottom(number) + slot_bytes - page_bytes - spread / line_bytes * line_bytes;
    fiber = {context::make_fcontext(top, slot_bytes - page_bytes - spread, fiber_entry::enter),
             nullptr, run, argument};
}

void fiber_pool::resume(int number) {
    auto& fiber = fibers_[static_cast<std::size_t>(number)];
    current_ = number;
    void* fake_stack = nullptr;
    begin_switch(&fake_stack, bottom(number), slot_bytes - page_bytes);
    fiber.context = context::jump_fcontext(fiber.context, this).fctx;
    end_switch(fake_stack, nullptr, nullptr);
}

void fiber_pool::suspend() {
    auto& fiber = fibers_[static_cast<std::size_t>(current_)];
    begin_switch(&fiber.fake_stack, resumer_bottom_, resumer_size_);
    resumer_ = context::jump_fcontext(resumer_, nullptr).fctx;
    end_switch(fiber.fake_stack, nullptr, nullptr);
}

void fiber_pool::leave() {
    begin_switch(nullptr, resumer_bottom_, resumer_size_);
    context::jump_fcontext(resumer_, nullptr);
    __builtin_unreachable();
}

void fiber_pool::enter_current(fiber_pool* pool, void* resumer) {
    end_switch(nullptr, &pool->resumer_bottom_, &pool->resumer_size_);
    pool->resumer_ = resumer;
    auto const& fiber = pool->fibers_[static_cast<std::size_t>(pool->current_)];
    fiber.run(fiber.argument);
    pool->leave();
}

} // namespace spio::sim
