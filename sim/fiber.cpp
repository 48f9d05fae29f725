// Fibers by the context switch of Boost.Context, told to the address sanitizer where it runs.
// SPDX-License-Identifier: Apache-2.0
#include "sim/fiber.h"

#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <sys/mman.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace spio::sim {

namespace context = boost::context::detail;

constexpr std::size_t page = 4096;
constexpr std::size_t slot = 256 * 1024;

struct fiber_entry {
    static void enter(context::transfer_t from) {
        fibers::enter_current(static_cast<fibers*>(from.data), from.fctx);
    }
};

// The next four say to the sanitizer which stack is in use.
static void leaving_for(void** fake_stack, void const* bottom, std::size_t size) {
#if __has_feature(address_sanitizer)
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#else
    (void)fake_stack, (void)bottom, (void)size;
#endif
}
static void arrived_at(void* fake_stack, void const** bottom, std::size_t* size) {
#if __has_feature(address_sanitizer)
    __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
#else
    (void)fake_stack, (void)bottom, (void)size;
#endif
}
static void forget_frames(void const* bottom, std::size_t size) {
#if __has_feature(address_sanitizer)
    __asan_unpoison_memory_region(bottom, size);
#else
    (void)bottom, (void)size;
#endif
}

fibers::~fibers() { unmap(); }

void fibers::unmap() {
    if (stacks_ == nullptr) return;
    forget_frames(stacks_, mapped_);
    munmap(stacks_, mapped_);
    stacks_ = nullptr;
}

void fibers::reserve(int count) {
    auto const wanted = static_cast<std::size_t>(count);
    if (wanted > all_.size()) {
        unmap();
        mapped_ = wanted * slot;
        void* const got = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (got == MAP_FAILED) throw std::bad_alloc();
        stacks_ = static_cast<unsigned char*>(got);
        all_.resize(wanted);
        for (int i = 0; i < count; i++) mprotect(stacks_ + i * slot, page, PROT_NONE);
    }
}

unsigned char* fibers::bottom(int number) const {
    return stacks_ + static_cast<std::size_t>(number) * slot + page;
}

bool fibers::is_guard(void const* address) const {
    auto const* const byte = static_cast<unsigned char const*>(address);
    if (stacks_ == nullptr || byte < stacks_ || byte >= stacks_ + mapped_) return false;
    return static_cast<std::size_t>(byte - stacks_) % slot < page;
}

void fibers::start(int number, void (*run)(void*), void* what) {
    auto& fiber = all_[static_cast<std::size_t>(number)];
    // Tops on different cache lines.
    auto const spread = static_cast<std::size_t>(number % 61) * 192;
    auto* const top = bottom(number) + slot - page - spread / 64 * 64;
    fiber = {context::make_fcontext(top, slot - page - spread, fiber_entry::enter), nullptr, run,
             what};
}

void fibers::resume(int number) {
    auto& fiber = all_[static_cast<std::size_t>(number)];
    current_ = number;
    void* fake_stack = nullptr;
    leaving_for(&fake_stack, bottom(number), slot - page);
    auto const back = context::jump_fcontext(fiber.context, this);
    arrived_at(fake_stack, nullptr, nullptr);
    fiber.context = back.fctx;
}

void fibers::suspend() {
    auto& fiber = all_[static_cast<std::size_t>(current_)];
    leaving_for(&fiber.fake_stack, outside_bottom_, outside_size_);
    auto const back = context::jump_fcontext(outside_, nullptr);
    outside_ = back.fctx;
    arrived_at(fiber.fake_stack, nullptr, nullptr);
}

void fibers::leave() {
    leaving_for(nullptr, outside_bottom_, outside_size_);
    context::jump_fcontext(outside_, nullptr);
    __builtin_unreachable();
}

void fibers::enter_current(fibers* all, void* from) {
    arrived_at(nullptr, &all->outside_bottom_, &all->outside_size_);
    all->outside_ = from;
    auto const& fiber = all->all_[static_cast<std::size_t>(all->current_)];
    fiber.run(fiber.what);
    all->leave();
}

} // namespace spio::sim
