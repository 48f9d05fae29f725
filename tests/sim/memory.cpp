// Loads and stores of kernels, in shared and in global memory: bounds, alignment, initialisation.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report.
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"

#include <cstddef>

namespace machine = spio::machine;
using namespace planted;

// Functions of the thread sanitizer, of which the host device has its own.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void __tsan_read_range(void* address, std::size_t bytes);
void __tsan_write_range(void* address, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier)
}

// The block's shared memory from this byte on.
template <class T> static T* shared(int offset) {
    return reinterpret_cast<T*>(machine::dynamic_shared() + offset);
}
// A reference to a whole element, as kernels get it from a cursor.
template <class T> static T& element(T* pointer) { return *pointer; }
namespace {
// 16 bytes that the GPU may load by one instruction.
struct alignas(16) vector {
    float element[4];
};
} // namespace

TEST_CASE("every thread has its index, and every block its shared memory") {
    spio::sim::memory<int> output(3 * 4 * 5 * 2 * 3 * 4, "got");
    expect_no_misuse({.grid = {3, 4, 5}, .shape = {.block = {2, 3, 4}, .shared_bytes = 96}}, [&] {
        auto const index = machine::thread_index();
        auto const block = machine::block_index();
        auto const size = machine::block_size();
        auto const grid = machine::grid_size();
        int const thread = index.x + size.x * (index.y + size.y * index.z);
        int const number = block.x + grid.x * (block.y + grid.y * block.z);
        *shared<int>(4 * thread) = 24 * number + thread;
        machine::sync_block();
        output[static_cast<unsigned>(24 * number + thread)] = *shared<int>(4 * (23 - thread));
    });
    for (int i = 0; i < 60 * 24; i++) {
        CHECK(output[static_cast<unsigned>(i)] == i / 24 * 24 + 23 - i % 24);
    }
}

TEST_CASE("accesses outside of shared memory are reported") {
    launch_shape const shape = {.grid = {2}, .shape = {.block = {64}, .shared_bytes = 256}};
    expect_misuse(misuse::shared_out_of_bounds,
                  "a write of 4 bytes at shared offset 256, .* has 256 bytes", shape,
                  [] { *shared<int>(4 * machine::thread_index().x + 4) = 1; });
    expect_misuse(misuse::shared_out_of_bounds, "a read of 4 bytes at shared offset -4", shape,
                  [] { *shared<int>(4 * machine::thread_index().x) = *shared<int>(-4); });
    expect_misuse(misuse::shared_out_of_bounds, "of 16 bytes at shared offset 248", shape,
                  [] { *shared<vector>(248 & ~15) = *shared<vector>(256 - 8); });
    expect_no_misuse(shape, [] { *shared<int>(4 * machine::thread_index().x) = 1; });
}

TEST_CASE("misaligned accesses to shared memory are reported") {
    launch_shape const shape = {.shape = {.block = {32}, .shared_bytes = 1024}};
    expect_misuse(misuse::shared_misaligned, "at shared offset 2, which is not a multiple of 4",
                  shape, [] { *shared<int>(2) = 1; });
    expect_misuse(misuse::shared_misaligned,
                  "a write of 8 bytes at shared offset 4, which is not a multiple of 8", shape,
                  [] { *shared<long long volatile>(4) = 1; });
    expect_misuse(misuse::shared_misaligned,
                  "a read of 8 bytes at shared offset 12, which is not a multiple of 8", shape,
                  [] { (void)*shared<long long volatile>(12); });
    // A packed member need not be aligned, but must not reach beyond the end of the memory.
    struct [[gnu::packed]] packed {
        long long volatile value;
    };
    expect_no_misuse({.shape = {.block = {1}, .shared_bytes = 1024}},
                     [] { shared<packed>(4)->value = 1; });
    expect_misuse(misuse::shared_out_of_bounds, "a write of 8 bytes at shared offset 1020", shape,
                  [] { shared<packed>(1020)->value = 1; });
    // The compiler copies a vector byte by byte, so that no single access is misaligned; the
    // alignment of its type must be checked all the same.
    expect_misuse(misuse::shared_misaligned, "shared offset [0-9]+, which is not a multiple of 16",
                  shape, [] {
                      int const thread = machine::thread_index().x;
                      element(shared<vector>(16 * thread + 8)) = vector{{1, 2, 3, 4}};
                  });
    expect_no_misuse(shape, [] {
        int const thread = machine::thread_index().x;
        *shared<vector>(16 * thread) = vector{{1, 2, 3, 4}};
        *shared<short>(16 * thread + 6) = 1;
    });
}

// What g++ calls for structs, which clang copies by calls of other functions.
TEST_CASE("accesses of any number of bytes are checked") {
    launch_shape const shape = {.shape = {.block = {1}, .shared_bytes = 256}};
    expect_misuse(misuse::shared_out_of_bounds, "a write of 12 bytes at shared offset 248", shape,
                  [] { __tsan_write_range(shared<char>(248), 12); });
    expect_misuse(misuse::shared_out_of_bounds, "a read of 24 bytes at shared offset -4", shape,
                  [] { __tsan_read_range(shared<char>(-4), 24); });
    expect_misuse(misuse::shared_uninitialised, "of which byte 12 was never written", shape, [] {
        __tsan_write_range(shared<char>(0), 12);
        __tsan_read_range(shared<char>(0), 13);
    });
    // So many reads of one place would be taken for an endless loop, but each follows a write.
    expect_no_misuse(shape, [] {
        for (int i = 0; i < 70'000; ++i) {
            __tsan_write_range(shared<char>(0), 24);
            __tsan_read_range(shared<char>(0), 24);
        }
    });
    // Nobody else can end this loop, which reads a struct and changes nothing.
    expect_misuse(misuse::livelock, "thread 0 reads shared offset 0 again and again", shape, [] {
        __tsan_write_range(shared<char>(0), 12);
        while (true) __tsan_read_range(shared<char>(0), 12);
    });
}

TEST_CASE("reads of shared memory that was never written are reported") {
    launch_shape const shape = {.shape = {.block = {64}, .shared_bytes = 256}};
    spio::sim::memory<int> output(64, "got");
    expect_misuse(misuse::shared_uninitialised,
                  "a read of 4 bytes at shared offset 252, of which byte 252", shape, [&] {
                      int const thread = machine::thread_index().x;
                      if (thread < 63) *shared<int>(4 * thread) = thread;
                      machine::sync_block();
                      output[static_cast<unsigned>(thread)] = *shared<int>(4 * thread);
                  });
    expect_misuse(misuse::shared_uninitialised, "of which byte 3 was never written", shape, [&] {
        if (machine::thread_index().x > 0) return;
        for (int i = 0; i < 3; i++) *shared<char volatile>(i) = 1;
        output[0] = *shared<int>(0);
    });
    expect_no_misuse(shape, [&] {
        int const thread = machine::thread_index().x;
        *shared<int>(4 * thread) = thread;
        machine::sync_block();
        output[static_cast<unsigned>(thread)] = *shared<int>(4 * (63 - thread));
    });
}

TEST_CASE("a read of shared memory that another thread writes later is a race") {
    launch_shape const shape = {.shape = {.block = {64}, .shared_bytes = 256}};
    spio::sim::memory<int> output(64, "got");
    // Whatever the order, some thread reads what another has yet to write.
    expect_misuse(misuse::race,
                  "a read of 4 bytes at shared offset .* wrote byte .* nothing that orders", shape,
                  [&] {
                      int const thread = machine::thread_index().x;
                      *shared<int>(4 * thread) = thread;
                      output[static_cast<unsigned>(thread)] = *shared<int>(4 * (63 - thread));
                  });
    // Here they write behind a barrier at which they wait for thread 0.
    expect_misuse(misuse::shared_uninitialised, "of which byte 252 was never written", shape, [&] {
        int const thread = machine::thread_index().x;
        if (thread == 0) output[0] = *shared<int>(252);
        machine::sync_block();
        *shared<int>(4 * thread) = thread;
    });
}

TEST_CASE("accesses outside of allocated global memory are reported") {
    launch_shape const shape = {.shape = {.block = {32}}};
    spio::sim::memory<float> first(32, "first");
    spio::sim::memory<float> second(1000, "second");
    float* freed_data = nullptr;
    {
        spio::sim::memory<float> freed(32, "freed");
        freed_data = freed.data();
    }
    auto const thread = [] { return machine::thread_index().x; };
    expect_misuse(
        misuse::global_out_of_bounds,
        "a write of 4 bytes at byte 128 of `first`, which has 128 bytes: it ends 4 beyond", shape,
        [&] { first.data()[thread() + 1] = 1; });
    expect_misuse(misuse::global_out_of_bounds, "begins 8 before `second`, which has 4000 bytes",
                  shape, [&] { first.data()[thread()] = *(second.data() - 2); });
    expect_misuse(misuse::global_out_of_bounds, "of `freed`, which was freed", shape,
                  [&] { first.data()[thread()] = freed_data[0]; });
    expect_misuse(misuse::global_misaligned, "not a multiple of 4", shape, [&] {
        *reinterpret_cast<float*>(reinterpret_cast<char*>(first.data()) + 1) = 1;
    });
    expect_misuse(misuse::global_misaligned, "not a multiple of 16", shape, [&] {
        element(reinterpret_cast<vector*>(second.data() + 2)) = vector{{1, 2, 3, 4}};
    });
    expect_no_misuse(shape, [&] {
        first.data()[thread()] = 1;
        reinterpret_cast<vector*>(second.data())[thread()] = vector{{1, 2, 3, 4}};
    });
    CHECK(second[127] == 4);
}
