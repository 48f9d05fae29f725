// The fixture of tests of the TMA engine: a barrier, words of shared memory, tensors and maps.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report.
#pragma once

#include "machine/bulk_copy.h"

#include "machine/atomic.h"
#include "machine/fence.h"
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"
#include "sim/tensor_map.h"

#include <cstring>

namespace machine = spio::machine;
using namespace planted;

// Called in a kernel: the index of the thread, float i of the block's shared memory, and mbarrier
// i behind them.
inline int thread() { return machine::thread_index().x; }
inline float& word(int i) { return reinterpret_cast<float*>(machine::dynamic_shared())[i]; }
inline machine::mbarrier_word* barrier(int i = 0) {
    return reinterpret_cast<machine::mbarrier_word*>(machine::dynamic_shared() + 4096 + 8 * i);
}
// Waits until the phase of this parity of mbarrier 0 has completed.
inline void wait(int parity) {
    while (!machine::mbarrier_try_wait(barrier(), parity)) {
    }
}
// Thread 0 initialises mbarrier 0 for so many arrivals.
inline void make_barrier(int arrivals = 1) {
    if (thread() == 0) {
        machine::mbarrier_init(barrier(), arrivals);
        machine::fence_mbarrier_init();
    }
    machine::sync_block();
}
// Two blocks of 64 threads; the floats are the first 4096 bytes, mbarriers begin after them.
inline launch_shape const shape = {.grid = {2}, .shape = {.block = {64}, .shared_bytes = 8192}};

// Global memory to copy from, with value i in float i, and to copy to: 1024 floats for each
// block.
struct fixture {
    spio::sim::memory<float> input{1024, "from"};
    spio::sim::memory<float> output{2048, "to"};
    fixture() {
        for (unsigned i = 0; i < 1024; i++) input[i] = static_cast<float>(i);
    }
    float* target(int block) const { return output.data() + 1024 * block; }
};

// A tensor of 10 x 24 floats, in boxes of 4 x 8.
inline spio::tensor_map_words map_of(float* data, spio::sim::swizzle_span swizzle) {
    spio::sim::tensor_map map = {};
    std::uint64_t const sizes[] = {24, 10};
    std::uint64_t const strides[] = {96};
    std::uint32_t const box[] = {8, 4};
    CHECK(map.encode(data, /*new_element_bytes=*/4, sizes, strides, box, swizzle).empty());
    spio::tensor_map_words words = {};
    std::memcpy(&words, &map, sizeof map);
    return words;
}
