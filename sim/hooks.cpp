// The calls that the compiler puts before every load and store of kernel text.
// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_access.h"

#include <cstddef>
#include <cstring>

// Kernel text is compiled with -fsanitize=thread, and the runtime of that sanitizer is not linked:
// these stand in its place. Where no kernel runs they do nothing.
using spio::sim::access;
using spio::sim::access_kind;
using spio::sim::check_access;
using spio::sim::running;

template <int Size, int Alignment> static void read(void const* at) {
    static constexpr access_kind kind = {access::read, "a read", Alignment};
    if (running != nullptr) check_access(*running, at, Size, kind);
}
template <int Size, int Alignment> static void write(void const* at) {
    static constexpr access_kind kind = {access::write, "a write", Alignment};
    if (running != nullptr) check_access(*running, at, Size, kind);
}
static void touch_range(void const* at, std::size_t bytes, access_kind const& kind) {
    if (running != nullptr && bytes > 0) check_access(*running, at, static_cast<int>(bytes), kind);
}
static constexpr access_kind range_read = {access::read, "a read", 1};
static constexpr access_kind range_write = {access::write, "a write", 1};

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read1(void* at) { read<1, 1>(at); }
void __tsan_read2(void* at) { read<2, 2>(at); }
void __tsan_read4(void* at) { read<4, 4>(at); }
void __tsan_read8(void* at) { read<8, 8>(at); }
void __tsan_read16(void* at) { read<16, 16>(at); }
void __tsan_unaligned_read2(void* at) { read<2, 1>(at); }
void __tsan_unaligned_read4(void* at) { read<4, 1>(at); }
void __tsan_unaligned_read8(void* at) { read<8, 1>(at); }
void __tsan_unaligned_read16(void* at) { read<16, 1>(at); }

void __tsan_write1(void* at) { write<1, 1>(at); }
void __tsan_write2(void* at) { write<2, 2>(at); }
void __tsan_write4(void* at) { write<4, 4>(at); }
void __tsan_write8(void* at) { write<8, 8>(at); }
void __tsan_write16(void* at) { write<16, 16>(at); }
void __tsan_unaligned_write2(void* at) { write<2, 1>(at); }
void __tsan_unaligned_write4(void* at) { write<4, 1>(at); }
void __tsan_unaligned_write8(void* at) { write<8, 1>(at); }
void __tsan_unaligned_write16(void* at) { write<16, 1>(at); }

void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
    touch_range(from, bytes, range_read);
    touch_range(to, bytes, range_write);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
    touch_range(from, bytes, range_read);
    touch_range(to, bytes, range_write);
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    touch_range(to, bytes, range_write);
    return std::memset(to, value, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}
