// Each function of kernels/machine that needs sm_90, once.
// SPDX-License-Identifier: Apache-2.0
//
// The kernel is compiled and assembled, and never run. kernels/machine has a function for each
// instruction of PTX that kernels use.
#include "machine/bulk_copy.h"
#include "machine/cluster_store.h"
#include "machine/fence.h"
#include "machine/launch_control.h"
#include "machine/matrix.h"
#include "machine/thread.h"
#include "machine/warp.h"
#include "machine/wgmma.h"

using namespace spio::machine;

// Names and arguments do not matter here, since nothing runs: p is global memory, s shared memory,
// b an mbarrier, and fN an accumulator of N registers.
extern "C" __global__ void every_instruction_sm90(spio::tensor_map_words const* map, unsigned* p) {
    auto* s = dynamic_shared();
    auto* b = (mbarrier_word*)s;
    unsigned a4[4] = {1, 2, 3, 4}, a2[2] = {1, 2}, a1[1] = {1};
    store_matrices(s, a4);
    store_matrices(s, a2);
    store_matrices(s, a1);
    store_matrices_transposed(s, a4);
    store_matrices_transposed(s, a2);
    store_matrices_transposed(s, a1);
    mbarrier_expect(b, 64);
    mbarrier_arrive_and_expect(b, 64);
    p[0] = mbarrier_try_wait(b, 0);
    bulk_load(s + 64, p, 64, b);
    bulk_store(p, s, 64);
    int c1[1] = {0}, c2[2] = {0, 1}, c3[3] = {1, 2, 3}, c4[4] = {1, 2, 3, 4},
        c5[5] = {1, 2, 3, 4, 5};
    box_load(s, map, c1, b);
    box_load(s, map, c2, b);
    box_load(s, map, c3, b);
    box_load(s, map, c4, b);
    box_load(s, map, c5, b);
    box_multicast(s, map, c2, b, 3);
    box_multicast(s, map, c3, b, 3);
    mbarrier_arrive_in_cluster(b, 1);
    store_in_cluster(s + 64, a4, b, 1);
    box_store(map, c1, s);
    box_store(map, c2, s);
    box_store(map, c3, s);
    box_store(map, c4, s);
    box_store(map, c5, s);
    box_prefetch(map, c3);
    box_prefetch(map, c4);
    bulk_prefetch(p, 64);
    prefetch_map(map);
    commit_bulk_stores();
    wait_for_bulk_reads<1>();
    wait_for_bulk_stores<0>();
    fence_for_bulk_copies();
    fence_mbarrier_init();
    arrive_cluster();
    wait_cluster();
    p[1] = cluster_rank() + cluster_size();
    p[2] = elect_lane(~0u);
    shrink_registers<24>();
    grow_registers<240>();
    wait_for_kernels_before();
    let_kernels_after_start();
    float f32[32] = {}, f64[64] = {}, f96[96] = {}, f128[128] = {};
    float f48[48] = {}, f80[80] = {}, f112[112] = {};
    fence_warpgroup();
    multiply_halves<false, true>(f32, 1, 2, false);
    multiply_halves<true, false>(f64, 1, 2, true);
    multiply_halves<true, true>(f96, 1, 2, true);
    multiply_halves<false, false>(f128, 1, 2, true);
    multiply_bfloat16s<false, true>(f32, 1, 2, true);
    multiply_bfloat16s<true, false>(f64, 1, 2, true);
    multiply_bfloat16s<true, true>(f96, 1, 2, true);
    multiply_bfloat16s<false, false>(f128, 1, 2, true);
    multiply_halves<false, false>(f48, 1, 2, true);
    multiply_halves<false, false>(f80, 1, 2, true);
    multiply_halves<false, false>(f112, 1, 2, true);
    multiply_bfloat16s<false, false>(f48, 1, 2, true);
    multiply_bfloat16s<false, false>(f80, 1, 2, true);
    multiply_bfloat16s<false, false>(f112, 1, 2, true);
    float f8[8] = {}, f16[16] = {}, f24[24] = {}, f40[40] = {}, f56[56] = {}, f72[72] = {},
          f88[88] = {}, f104[104] = {}, f120[120] = {};
    multiply_halves<false, false>(f8, 1, 2, true);
    multiply_bfloat16s<false, false>(f8, 1, 2, true);
    multiply_halves<false, false>(f16, 1, 2, true);
    multiply_bfloat16s<false, false>(f16, 1, 2, true);
    multiply_halves<false, false>(f24, 1, 2, true);
    multiply_bfloat16s<false, false>(f24, 1, 2, true);
    multiply_halves<false, false>(f40, 1, 2, true);
    multiply_bfloat16s<false, false>(f40, 1, 2, true);
    multiply_halves<false, false>(f56, 1, 2, true);
    multiply_bfloat16s<false, false>(f56, 1, 2, true);
    multiply_halves<false, false>(f72, 1, 2, true);
    multiply_bfloat16s<false, false>(f72, 1, 2, true);
    multiply_halves<false, false>(f88, 1, 2, true);
    multiply_bfloat16s<false, false>(f88, 1, 2, true);
    multiply_halves<false, false>(f104, 1, 2, true);
    multiply_bfloat16s<false, false>(f104, 1, 2, true);
    multiply_halves<false, false>(f120, 1, 2, true);
    multiply_bfloat16s<false, false>(f120, 1, 2, true);
    commit_warpgroup_products();
    wait_for_warpgroup_products<0>();
    pin_accumulator(f32[0]);
    p[3] = f32[0] + f48[0] + f64[0] + f80[0] + f96[0] + f112[0] + f128[0];
    p[4] = f8[0] + f16[0] + f24[0] + f40[0] + f56[0] + f72[0] + f88[0] + f104[0] + f120[0];
}
