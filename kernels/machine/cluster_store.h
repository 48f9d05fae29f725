// Stores to the shared memory of another block of the cluster (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/mbarrier.h"

namespace spio::machine {

// Stores 16 bytes, without waiting, to the place that has this address in the block of a rank. The
// barrier that has the other address in that block counts the bytes when they have come.
__device__ inline void store_in_cluster(void* shared, unsigned const (&words)[4],
                                        mbarrier_word* barrier, int rank) {
    asm volatile("{ .reg .b32 place, counter; mapa.shared::cluster.u32 place, %0, %6; "
                 "mapa.shared::cluster.u32 counter, %5, %6; "
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[place], {%1, %2, %3, %4}, [counter]; }" ::"r"(shared_address(shared)),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                 "r"(shared_address(barrier)), "r"(rank)
                 : "memory");
}

} // namespace spio::machine
