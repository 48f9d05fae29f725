// Barriers in shared memory that count arrivals of threads and bytes of copies, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// What the hardware keeps in 8 bytes of shared memory. A phase ends when as many have arrived as
// the barrier was made for, and as many bytes as were announced.
struct alignas(8) mbarrier_word {
    unsigned long long bits;
};

__device__ inline void mbarrier_init(mbarrier_word* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}
__device__ inline void mbarrier_end(mbarrier_word* barrier) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void mbarrier_arrive(mbarrier_word* barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                     shared_address(barrier))
                 : "memory");
}
// One arrives once all async copies of the thread so far have; it must be among those that the
// barrier counts.
__device__ inline void mbarrier_arrive_after_copies(mbarrier_word* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}
// So many bytes more will come in this phase (sm_90).
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

// Whether the phase of this parity has ended: at once, or after a wait of bounded time (sm_90).
__device__ inline bool mbarrier_test(mbarrier_word* barrier, int parity) {
    unsigned ended;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(ended)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return ended != 0;
}
__device__ inline bool mbarrier_try_wait(mbarrier_word* barrier, int parity) {
    unsigned ended;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(ended)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return ended != 0;
}

} // namespace spio::machine
