// The calls that the compiler puts before every load and store of a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// The memory checker looks at each access to simulated shared or global memory. `running` is the
// simulated thread that this OS thread runs now. `spins` finds loops that read the same few
// addresses again and again; a write resets it.
#include "sim/checker/memory_checker.h"
#include "sim/scheduler/scheduler.h"

#include <cstddef>
#include <cstring>

// Kernels are compiled with -fsanitize=thread, but not linked with the runtime of that sanitizer:
// the functions below take its place. They check nothing when no kernel thread runs on this OS
// thread.
using spio::sim::access;
using spio::sim::access_info;
using spio::sim::accessing_code;
using spio::sim::check_access;
using spio::sim::running;

// `code` is where the kernel goes on: the return address of the call.
static void check(void const* address, int bytes, access_info const& info, void const* code) {
    accessing_code = code;
    check_access(*running, address, bytes, info);
    accessing_code = nullptr;
}
// Checks a read of Size bytes, and counts it to find loops that only read.
template <int Size, int Alignment> static void check_read(void const* address, void const* code) {
    static constexpr access_info info = {access::read, "a read", /*alignment=*/Alignment};
    if (running == nullptr) return;
    check(address, Size, info, code);
    count_read(*running, address);
}
// Checks a write of Size bytes.
template <int Size, int Alignment> static void check_write(void const* address, void const* code) {
    static constexpr access_info info = {access::write, "a write", /*alignment=*/Alignment};
    if (running == nullptr) return;
    running->spins.reset();
    check(address, Size, info, code);
}
// Checks a read of any number of bytes, and counts it as one.
static void check_range_read(void const* address, std::size_t bytes, void const* code) {
    static constexpr access_info info = {access::read, "a read", /*alignment=*/1};
    if (running == nullptr || bytes == 0) return;
    check(address, static_cast<int>(bytes), info, code);
    count_read(*running, address);
}
// Checks a write of any number of bytes.
static void check_range_write(void const* address, std::size_t bytes, void const* code) {
    static constexpr access_info info = {access::write, "a write", /*alignment=*/1};
    if (running == nullptr || bytes == 0) return;
    running->spins.reset();
    check(address, static_cast<int>(bytes), info, code);
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read1(void* address) { check_read<1, 1>(address, __builtin_return_address(0)); }
void __tsan_read2(void* address) { check_read<2, 2>(address, __builtin_return_address(0)); }
void __tsan_read4(void* address) { check_read<4, 4>(address, __builtin_return_address(0)); }
void __tsan_read8(void* address) { check_read<8, 8>(address, __builtin_return_address(0)); }
void __tsan_read16(void* address) { check_read<16, 16>(address, __builtin_return_address(0)); }
void __tsan_unaligned_read2(void* address) {
    check_read<2, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_read4(void* address) {
    check_read<4, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_read8(void* address) {
    check_read<8, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_read16(void* address) {
    check_read<16, 1>(address, __builtin_return_address(0));
}

void __tsan_write1(void* address) { check_write<1, 1>(address, __builtin_return_address(0)); }
void __tsan_write2(void* address) { check_write<2, 2>(address, __builtin_return_address(0)); }
void __tsan_write4(void* address) { check_write<4, 4>(address, __builtin_return_address(0)); }
void __tsan_write8(void* address) { check_write<8, 8>(address, __builtin_return_address(0)); }
void __tsan_write16(void* address) { check_write<16, 16>(address, __builtin_return_address(0)); }
void __tsan_unaligned_write2(void* address) {
    check_write<2, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_write4(void* address) {
    check_write<4, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_write8(void* address) {
    check_write<8, 1>(address, __builtin_return_address(0));
}
void __tsan_unaligned_write16(void* address) {
    check_write<16, 1>(address, __builtin_return_address(0));
}

// g++ calls these for what is larger than 16 bytes, or of another size than those above.
void __tsan_read_range(void* address, std::size_t bytes) {
    check_range_read(address, bytes, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
    check_range_write(address, bytes, __builtin_return_address(0));
}

void* __tsan_memcpy(void* destination, void const* source, std::size_t bytes) {
    check_range_read(source, bytes, __builtin_return_address(0));
    check_range_write(destination, bytes, __builtin_return_address(0));
    return std::memcpy(destination, source, bytes);
}
void* __tsan_memmove(void* destination, void const* source, std::size_t bytes) {
    check_range_read(source, bytes, __builtin_return_address(0));
    check_range_write(destination, bytes, __builtin_return_address(0));
    return std::memmove(destination, source, bytes);
}
void* __tsan_memset(void* destination, int value, std::size_t bytes) {
    check_range_write(destination, bytes, __builtin_return_address(0));
    return std::memset(destination, value, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}
