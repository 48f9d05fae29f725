// How fast the host device is: what a lane costs that computes, touches memory, or meets its warp.
// SPDX-License-Identifier: Apache-2.0
#include "machine/matrix.h"
#include "machine/mma.h"
#include "machine/thread.h"
#include "machine/warp.h"
#include "sim/arena.h"
#include "sim/launch.h"

#include <chrono>
#include <cstdio>

namespace machine = spio::machine;

constexpr unsigned all = 0xffffffff;
constexpr int blocks = 8;
constexpr int threads = 256;

static float& word(int i) { return reinterpret_cast<float*>(machine::dynamic_shared())[i]; }

// Prints how many times a second a lane does what a body does so many times.
template <class Body>
static void measure(char const* what, int times, Body const& body, bool races = true) {
    using clock = std::chrono::steady_clock;
    double best = 0;
    for (int sample = 0; sample < 5; sample++) {
        auto const start = clock::now();
        auto const found = spio::sim::launch(
            {.grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = 8192, .name = what},
            [&] { body(times); }, {.os_threads = 1, .races = races});
        std::chrono::duration<double> const taken = clock::now() - start;
        if (found) std::printf("%s\n", found.text().c_str());
        double const rate = static_cast<double>(blocks) * threads * times / taken.count();
        best = rate > best ? rate : best;
    }
    std::printf("figure: sim.speed: %s: %.1f million a second on one thread of the OS\n", what,
                best / 1e6);
}

int main() {
    spio::sim::memory<float> global(static_cast<std::size_t>(blocks) * threads, "global");
    for (float& value : global) value = 1;

    measure("threads started and ended", 1, [](int) {});
    measure("lanes in shuffles", 2000, [](int times) {
        unsigned value = 1;
        for (int i = 0; i < times; i++) value = machine::shuffle_xor(value, 1, all);
    });
    measure("lanes in sync_warp", 2000, [](int times) {
        for (int i = 0; i < times; i++) machine::sync_warp(all);
    });
    measure("threads in sync_block", 1000, [](int times) {
        for (int i = 0; i < times; i++) machine::sync_block();
    });
    measure("lanes in m16n8k16 products", 300, [](int times) {
        float c[4] = {};
        unsigned const a[4] = {0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00};
        unsigned const b[2] = {0x3c003c00, 0x3c003c00};
        for (int i = 0; i < times; i++) machine::multiply_halves(c, a, b);
    });
    measure("lanes in ldmatrix x4", 500, [](int times) {
        int const thread = machine::thread_index().x;
        for (int i = 0; i < 4; i++) word(4 * thread + i) = 1;
        machine::sync_block();
        unsigned to[4];
        for (int i = 0; i < times; i++) machine::load_matrices(to, &word(4 * thread));
    });
    auto const touch = [](int times) {
        int const thread = machine::thread_index().x;
        auto volatile* const mine = &word(thread);
        *mine = 0;
        for (int i = 0; i < times / 2; i++) *mine = *mine + 1.0F;
    };
    measure("loads and stores of shared memory", 20000, touch);
    measure("the same without the race check", 20000, touch, false);
    measure("loads and stores of global memory", 20000, [&](int times) {
        int const thread = threads * machine::block_index().x + machine::thread_index().x;
        auto volatile* const mine = global.data() + thread;
        for (int i = 0; i < times / 2; i++) *mine = *mine + 1.0F;
    });
    measure("multiply-adds of registers", 2000000 / 100, [](int times) {
        float a = 1;
        float b = 1;
        for (int i = 0; i < times; i++) {
            a = a * 1.0001F + b;
            asm volatile("" : "+x"(a));
        }
    });
}
