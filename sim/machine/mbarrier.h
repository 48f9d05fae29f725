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

void mbarrier_init(mbarrier_word* barrier, int arrivals);
void mbarrier_end(mbarrier_word* barrier);
void mbarrier_arrive(mbarrier_word* barrier);
// Arrives as soon as all cp.async copies that the thread has issued are complete. This is one of
// the arrivals that the barrier was initialised for.
void mbarrier_arrive_after_copies(mbarrier_word* barrier);
// Announces more bytes for this phase (sm_90).
void mbarrier_expect(mbarrier_word* barrier, int bytes);
void mbarrier_arrive_and_expect(mbarrier_word* barrier, int bytes);

// Whether the phase of this parity is complete: asks once, or waits for a bounded time (sm_90).
bool mbarrier_test(mbarrier_word* barrier, int parity);
bool mbarrier_try_wait(mbarrier_word* barrier, int parity);

} // namespace spio::machine
