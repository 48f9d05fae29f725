// How fast the host device is: what a lane costs that computes, accesses memory, or synchronizes.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU: each of its threads is a flow of control with its own
// stack.
#include "machine/matrix.h"
#include "machine/mma.h"
#include "machine/thread.h"
#include "machine/warp.h"
#include "sim/arena.h"
#include "sim/launch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace machine = spio::machine;

constexpr unsigned all_lanes = 0xffffffff;
constexpr int blocks = 8;
constexpr int threads = 256;

// Float i of the block's shared memory.
static float& word(int i) { return reinterpret_cast<float*>(machine::dynamic_shared())[i]; }

// Prints how many times a second a lane does what body(count) does `count` times. The fastest of
// several samples counts; a sample takes `launches` launches. `races` turns the race check on.
template <class Body>
static void measure(char const* name, int launches, int count, Body const& body,
                    bool races = true) {
    using clock = std::chrono::steady_clock;
    double best = 0;
    for (int sample = 0; sample < 5; sample++) {
        auto const start = clock::now();
        for (int i = 0; i < launches; i++) {
            auto const result = spio::sim::launch(
                name, {.grid = {blocks}, .shape = {.block = {threads}, .shared_bytes = 8192}},
                [&] { body(count); }, {.os_threads = 1, .races = races});
            if (result) std::printf("%s\n", result.text().c_str());
        }
        std::chrono::duration<double> const duration = clock::now() - start;
        double const total = static_cast<double>(blocks) * threads * count * launches;
        best = std::max(best, total / duration.count());
    }
    std::printf("summary: sim.speed: %s: %.1f million a second on one thread of the OS\n", name,
                best / 1e6);
}

int main() {
    spio::sim::memory<float> global(static_cast<std::size_t>(blocks) * threads, "global");
    for (float& value : global) value = 1;

    measure("threads started and ended", /*launches=*/200, /*count=*/1, [](int) {});
    measure("lanes in shuffles", /*launches=*/1, /*count=*/2000, [](int count) {
        unsigned value = 1;
        for (int i = 0; i < count; i++) value = machine::shuffle_xor(value, 1, all_lanes);
    });
    measure("lanes in sync_warp", /*launches=*/1, /*count=*/2000, [](int count) {
        for (int i = 0; i < count; i++) machine::sync_warp(all_lanes);
    });
    measure("threads in sync_block", /*launches=*/1, /*count=*/1000, [](int count) {
        for (int i = 0; i < count; i++) machine::sync_block();
    });
    measure("lanes in m16n8k16 products", /*launches=*/1, /*count=*/300, [](int count) {
        float c[4] = {};
        unsigned const a[4] = {0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00};
        unsigned const b[2] = {0x3c003c00, 0x3c003c00};
        for (int i = 0; i < count; i++) machine::multiply_halves(c, a, b);
    });
    measure("lanes in ldmatrix x4", /*launches=*/1, /*count=*/500, [](int count) {
        int const thread = machine::thread_index().x;
        for (int i = 0; i < 4; i++) word(4 * thread + i) = 1;
        machine::sync_block();
        unsigned values[4];
        for (int i = 0; i < count; i++) machine::load_matrices(values, &word(4 * thread));
    });
    // Loads and stores its own word of shared memory: `count` accesses.
    auto const increment = [](int count) {
        auto volatile* const address = &word(machine::thread_index().x);
        *address = 0;
        for (int i = 0; i < count / 2; i++) *address = *address + 1.0F;
    };
    measure("loads and stores of shared memory", /*launches=*/1, /*count=*/20000, increment);
    measure("the same without the race check", /*launches=*/1, /*count=*/20000, increment,
            /*races=*/false);
    measure("loads and stores of global memory", /*launches=*/1, /*count=*/20000, [&](int count) {
        int const thread = threads * machine::block_index().x + machine::thread_index().x;
        auto volatile* const address = global.data() + thread;
        for (int i = 0; i < count / 2; i++) *address = *address + 1.0F;
    });
    measure("multiply-adds of registers", /*launches=*/1, /*count=*/20000, [](int count) {
        float a = 1;
        float b = 1;
        for (int i = 0; i < count; i++) {
            a = a * 1.0001F + b;
            asm volatile("" : "+x"(a));
        }
    });
}
