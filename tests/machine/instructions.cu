// Each function of kernels/machine once: every compiler must assemble it.
// SPDX-License-Identifier: Apache-2.0
//
// The kernel is compiled and assembled, and never run. kernels/machine has a function for each
// instruction of PTX that kernels use.
#include "machine/approximation.h"
#include "machine/arithmetic.h"
#include "machine/async_copy.h"
#include "machine/atomic.h"
#include "machine/bulk_copy.h"
#include "machine/convert.h"
#include "machine/fence.h"
#include "machine/launch_control.h"
#include "machine/matrix.h"
#include "machine/mbarrier.h"
#include "machine/mma.h"
#include "machine/thread.h"
#include "machine/warp.h"

using namespace spio::machine;

// Names and arguments do not matter here, since nothing runs: p, q and f are global memory, s
// shared memory, and a4 a fragment of 4 registers.
extern "C" __global__ void every_instruction(unsigned* p, unsigned short* q, float* f) {
    unsigned a4[4], a2[2], a1[1];
    auto* s = dynamic_shared();
    load_matrices(a4, s);
    load_matrices(a2, s + 16);
    load_matrices(a1, s + 32);
    load_matrices_transposed(a4, s);
    load_matrices_transposed(a2, s);
    load_matrices_transposed(a1, s);
    float c[4] = {};
    multiply_halves(c, a2, a1);
    multiply_halves(c, a4, a2);
    multiply_bfloat16s(c, a2, a1);
    multiply_bfloat16s(c, a4, a2);
    copy_16_async(s, p, 16);
    copy_async<8>(s, p, 8);
    copy_async<4>(s, p, 4);
    commit_copies();
    wait_for_copies<1>();
    sync_block();
    sync_warp(~0u);
    sync_threads(1, 64);
    arrive_threads(2, 64);
    nap(20);
    p[0] = shuffle(1, 2, ~0u) + shuffle_up(p[1], 2, ~0u) + shuffle_down(p[2], 1, ~0u) +
           shuffle_xor(p[3], 1, ~0u) + ballot(p[4] == 1, ~0u) + sum_over(p[5], ~0u) +
           least_over(p[6], ~0u) + greatest_over(p[7], ~0u);
    q[0] = float_to_half(f[0]);
    q[1] = float_to_bfloat16(f[1]);
    p[8] = floats_to_halves(f[0], f[1]);
    p[9] = floats_to_bfloat16s(f[0], f[1]);
    p[18] = floats_to_rectified_halves(f[0], f[1]);
    p[19] = floats_to_rectified_bfloat16s(f[0], f[1]);
    f[3] = half_to_float(q[2]);
    auto* b = (mbarrier_word*)s;
    mbarrier_init(b, 1);
    mbarrier_arrive(b);
    mbarrier_arrive_after_copies(b);
    p[10] = mbarrier_test(b, 0);
    mbarrier_invalidate(b);
    fence_block();
    fence_device();
    atomic_add(p, 1u);
    atomic_add(f, 1.f);
    p[11] = atomic_exchange(p, 1);
    p[12] = atomic_compare_exchange(p, 1, 2);
    p[13] = load_acquire(p);
    store_release(p, 3);
    p[14] = thread_index().x + block_index().y + block_size().z + grid_size().x + lane_index();
    p[15] = nanoseconds();
    f[4] = c[0] + c[1];
    p[16] = a1[0];
    f[6] = square_root(multiply_add(magnitude(f[0]), f[1], f[2]));
    f[7] = approximate_power_of_two(approximate_reciprocal(f[3]));
}
