// Bulk copies: ranges and boxes of tensors that the TMA engine copies (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/mbarrier.h"
#include "spio/launch_values.h"

namespace spio::sim {
// Until all but the last groups have read shared memory, or have written global memory too.
void wait_for_bulk_groups(int pending, bool writes);
} // namespace spio::sim

namespace spio::machine {

// Copies a multiple of 16 bytes between addresses that are aligned to 16.
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
void box_store(tensor_map_words const* map, int const (&coordinates)[1], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[2], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[3], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[4], void const* shared);
void box_store(tensor_map_words const* map, int const (&coordinates)[5], void const* shared);
void prefetch_map(tensor_map_words const* map);

// A commit makes a group of all stores of this thread since the last commit. A wait returns when at
// most the last `Pending` groups have not read their shared memory, or not written global memory.
void commit_bulk_stores();
template <int Pending> inline void wait_for_bulk_reads() {
    sim::wait_for_bulk_groups(Pending, false);
}
template <int Pending> inline void wait_for_bulk_stores() {
    sim::wait_for_bulk_groups(Pending, true);
}

} // namespace spio::machine
