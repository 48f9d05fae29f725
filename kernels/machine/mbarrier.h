// Mbarriers: barriers in shared memory that count arrivals and bytes, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// The state that the hardware keeps. A phase completes when as many threads have arrived as the
// barrier was initialised for, and as many bytes have been copied as were announced.
struct alignas(8) mbarrier_word {
    unsigned long long bits;
};

__device__ inline void mbarrier_init(mbarrier_word* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}
// Ends the barrier, after which its memory may be used for something else.
__device__ inline void mbarrier_invalidate(mbarrier_word* barrier) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void mbarrier_arrive(mbarrier_word* barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                     shared_address(barrier))
                 : "memory");
}
// Arrives at the barrier that lies at the same address in another block of the cluster (sm_90). The
// scope of the release is this block: a wider one costs a fence of the whole chip.
__device__ inline void mbarrier_arrive_in_cluster(mbarrier_word* barrier, int rank) {
    asm volatile(
        "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; "
        "mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}
// Arrives as soon as all cp.async copies that the thread has issued are complete. This is one of
// the arrivals that the barrier was initialised for.
__device__ inline void mbarrier_arrive_after_copies(mbarrier_word* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}
// Announces more bytes for this phase (sm_90).
__device__ inline void mbarrier_expect(mbarrier_word* barrier, int bytes) {
    asm volatile(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}
__device__ inline void mbarrier_arrive_and_expect(mbarrier_word* barrier, int bytes) {
    asm volatile("{ .reg .b64 state; "
                 "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [%0], %1; }" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

// Whether the phase of this parity is complete: asks once, or waits for a bounded time (sm_90).
__device__ inline bool mbarrier_test(mbarrier_word* barrier, int parity) {
    unsigned is_complete;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_complete)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return is_complete != 0;
}
__device__ inline bool mbarrier_try_wait(mbarrier_word* barrier, int parity) {
    unsigned is_complete;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_complete)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return is_complete != 0;
}

} // namespace spio::machine
