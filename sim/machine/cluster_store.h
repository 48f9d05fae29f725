// Stores to the shared memory of another block of the cluster (sm_90).
// SPDX-License-Identifier: Apache-2.0
//
// The sim runs a kernel on the processor; this stands for the header of the same name in
// kernels/machine.
#pragma once

#include "machine/mbarrier.h"

namespace spio::machine {

// Stores 16 bytes, without waiting, to the same place in the block of a rank. The barrier at the
// same place in that block counts the bytes when they have come.
void store_in_cluster(void* shared, unsigned const (&words)[4], mbarrier_word* barrier, int rank);

} // namespace spio::machine
