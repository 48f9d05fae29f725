// The calls that the compiler puts before every load and store of a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "sim/checker/memory_checker.h"
#include "sim/scheduler/scheduler.h"

#include <cstddef>
#include <cstring>

// Kernels are compiled with -fsanitize=thread, but not linked with the runtime of that sanitizer:
// the functions below take its place. They check nothing when no kernel thread runs on this OS
// thread.
using spio::sim::access;
using spio::sim::access_info;
using spio::sim::check_access;
using spio::sim::running;

template <int Size, int Alignment> static void check_read(void const* address) {
    static constexpr access_info info = {access::read, "a read", Alignment};
    if (running == nullptr) return;
    check_access(*running, address, Size, info);
    count_read(*running, address);
}
template <int Size, int Alignment> static void check_write(void const* address) {
    static constexpr access_info info = {access::write, "a write", Alignment};
    if (running == nullptr) return;
    running->spins.reset();
    check_access(*running, address, Size, info);
}
// Checks an access of any number of bytes.
static void check_range(void const* address, std::size_t bytes, access_info const& info) {
    if (running == nullptr || bytes == 0) return;
    check_access(*running, address, static_cast<int>(bytes), info);
}
static constexpr access_info range_read = {access::read, "a read", 1};
static constexpr access_info range_write = {access::write, "a write", 1};

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read1(void* address) { check_read<1, 1>(address); }
void __tsan_read2(void* address) { check_read<2, 2>(address); }
void __tsan_read4(void* address) { check_read<4, 4>(address); }
void __tsan_read8(void* address) { check_read<8, 8>(address); }
void __tsan_read16(void* address) { check_read<16, 16>(address); }
void __tsan_unaligned_read2(void* address) { check_read<2, 1>(address); }
void __tsan_unaligned_read4(void* address) { check_read<4, 1>(address); }
void __tsan_unaligned_read8(void* address) { check_read<8, 1>(address); }
void __tsan_unaligned_read16(void* address) { check_read<16, 1>(address); }

void __tsan_write1(void* address) { check_write<1, 1>(address); }
void __tsan_write2(void* address) { check_write<2, 2>(address); }
void __tsan_write4(void* address) { check_write<4, 4>(address); }
void __tsan_write8(void* address) { check_write<8, 8>(address); }
void __tsan_write16(void* address) { check_write<16, 16>(address); }
void __tsan_unaligned_write2(void* address) { check_write<2, 1>(address); }
void __tsan_unaligned_write4(void* address) { check_write<4, 1>(address); }
void __tsan_unaligned_write8(void* address) { check_write<8, 1>(address); }
void __tsan_unaligned_write16(void* address) { check_write<16, 1>(address); }

void* __tsan_memcpy(void* destination, void const* source, std::size_t bytes) {
    check_range(source, bytes, range_read);
    check_range(destination, bytes, range_write);
    return std::memcpy(destination, source, bytes);
}
void* __tsan_memmove(void* destination, void const* source, std::size_t bytes) {
    check_range(source, bytes, range_read);
    check_range(destination, bytes, range_write);
    return std::memmove(destination, source, bytes);
}
void* __tsan_memset(void* destination, int value, std::size_t bytes) {
    check_range(destination, bytes, range_write);
    return std::memset(destination, value, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}
