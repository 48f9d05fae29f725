// Mbarriers: barriers in shared memory that count arrivals and bytes, phase by phase.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/mbarrier.h.
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// The word in which the hardware keeps an mbarrier. A phase completes when the number of arrivals
// given to mbarrier_init has been reached, and all announced bytes have been copied.
struct alignas(8) mbarrier_word {
    unsigned long long bits;
};

void mbarrier_init(mbarrier_word* barrier, int arrivals);
// Ends the barrier, after which its memory may be used for something else.
void mbarrier_invalidate(mbarrier_word* barrier);
void mbarrier_arrive(mbarrier_word* barrier);
// Arrives at the barrier that lies at the same address in another block of the cluster (sm_90).
void mbarrier_arrive_in_cluster(mbarrier_word* barrier, int rank);
// cp.async.mbarrier.arrive.noinc: arrives as soon as all cp.async copies that the thread has issued
// are complete. The arrival is one of those given to mbarrier_init.
void mbarrier_arrive_after_copies(mbarrier_word* barrier);
// Announces `bytes` more bytes for this phase (sm_90). mbarrier_arrive_and_expect also arrives.
void mbarrier_expect(mbarrier_word* barrier, int bytes);
void mbarrier_arrive_and_expect(mbarrier_word* barrier, int bytes);

// Whether the phase of parity `parity` is complete. mbarrier_test asks once; mbarrier_try_wait
// waits for a bounded time (sm_90).
bool mbarrier_test(mbarrier_word* barrier, int parity);
bool mbarrier_try_wait(mbarrier_word* barrier, int parity);

} // namespace spio::machine
