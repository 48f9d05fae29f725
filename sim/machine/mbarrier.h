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

void mbarrier_init(mbarrier_word* barrier, int arrivals);
void mbarrier_end(mbarrier_word* barrier);
void mbarrier_arrive(mbarrier_word* barrier);
// One arrives once all async copies of the thread so far have; it must be among those that the
// barrier counts.
void mbarrier_arrive_after_copies(mbarrier_word* barrier);
// So many bytes more will come in this phase (sm_90).
void mbarrier_expect(mbarrier_word* barrier, int bytes);
void mbarrier_arrive_and_expect(mbarrier_word* barrier, int bytes);

// Whether the phase of this parity has ended: at once, or after a wait of bounded time (sm_90).
bool mbarrier_test(mbarrier_word* barrier, int parity);
bool mbarrier_try_wait(mbarrier_word* barrier, int parity);

} // namespace spio::machine
