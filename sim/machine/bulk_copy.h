// Bulk copies: ranges and boxes of tensors that the TMA engine copies (sm_90).
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/bulk_copy.h.
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor, here as the simulator reads
// it.
#pragma once

#include "machine/mbarrier.h"
#include "spio/launch_values.h"

namespace spio::sim {
// Waits until all but the last `pending` groups of bulk stores have read their shared memory; if
// `writes` is true, until they have also written global memory.
void wait_for_bulk_groups(int pending, bool writes);
} // namespace spio::sim

namespace spio::machine {

// Copies `bytes` bytes, a multiple of 16, between addresses that are multiples of 16. bulk_load
// reports the bytes to `barrier` when they have arrived.
void bulk_load(void* shared, void const* global, int bytes, mbarrier_word* barrier);
void bulk_store(void* global, void const* shared, int bytes);

// Copies a box of a tensor, given the coordinates of its first element, innermost first. Elements
// outside the tensor load as zero and are not stored. A load may begin before the tensor; a store
// that does is an illegal instruction (seen on an H200).
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[1],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[2],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[3],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[4],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[5],
              mbarrier_word* barrier);
// The same for several blocks of the cluster, those whose ranks are bits of the mask. The box and
// the bytes that the barrier counts come to the same addresses in each of them.
void box_multicast(void* shared, tensor_map_words const* map, int const (&coordinates)[2],
                   mbarrier_word* barrier, unsigned short ranks);
void box_multicast(void* shared, tensor_map_words const* map, int const (&coordinates)[3],
                   mbarrier_word* barrier, unsigned short ranks);
void box_store(tensor_map_words const* map, int const (&coordinates)[1], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[2], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[3], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[4], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[5], void const* shared);
// Hints that a box or some bytes will be loaded: no access, so that kernels before this one may yet
// write it.
void box_prefetch(tensor_map_words const* map, int const (&coordinates)[3]);
void box_prefetch(tensor_map_words const* map, int const (&coordinates)[4]);
void bulk_prefetch(void const* global, int bytes);
void prefetch_map(tensor_map_words const* map);

// commit_bulk_stores makes a group of all bulk stores of this thread since the last commit. The two
// waits return when all but the last `Pending` groups have read their shared memory
// (wait_for_bulk_reads) or have also written global memory (wait_for_bulk_stores).
void commit_bulk_stores();
template <int Pending> inline void wait_for_bulk_reads() {
    constexpr bool writes = false;
    sim::wait_for_bulk_groups(Pending, writes);
}
template <int Pending> inline void wait_for_bulk_stores() {
    constexpr bool writes = true;
    sim::wait_for_bulk_groups(Pending, writes);
}

} // namespace spio::machine
