// Copies of whole ranges and of boxes of tensors, by the engine that does only that (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/mbarrier.h"

namespace spio::sim {
void wait_for_bulk_groups(int under_way, bool written);
} // namespace spio::sim

namespace spio::machine {

// What the engine knows of a tensor in global memory: made on the host, 64-byte aligned.
struct alignas(64) tensor_map_words {
    unsigned long long words[16];
};

// A range of a multiple of 16 bytes, both ends aligned to 16.
void bulk_load(void* shared, void const* global, int bytes, mbarrier_word* barrier);
void bulk_store(void* global, void const* shared, int bytes);

// A box, from the coordinates of its first element, innermost first. Elements outside the tensor
// load as zero and are not stored. A load may begin before the tensor; a store that does is an
// illegal instruction (seen on an H200).
void box_load(void* shared, tensor_map_words const* map, int const (&at)[1],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&at)[2],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&at)[3],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&at)[4],
              mbarrier_word* barrier);
void box_load(void* shared, tensor_map_words const* map, int const (&at)[5],
              mbarrier_word* barrier);
void box_store(tensor_map_words const* map, int const (&at)[1], void const* shared);
void box_store(tensor_map_words const* map, int const (&at)[2], void const* shared);
void box_store(tensor_map_words const* map, int const (&at)[3], void const* shared);
void box_store(tensor_map_words const* map, int const (&at)[4], void const* shared);
void box_store(tensor_map_words const* map, int const (&at)[5], void const* shared);
void prefetch_map(tensor_map_words const* map);

// All stores of this thread since the last commit are a group. Waiting leaves the last so many of
// its groups under way: until their shared memory was read, or until they are written.
void commit_bulk_stores();
template <int UnderWay> inline void wait_for_bulk_reads() {
    sim::wait_for_bulk_groups(UnderWay, false);
}
template <int UnderWay> inline void wait_for_bulk_stores() {
    sim::wait_for_bulk_groups(UnderWay, true);
}

} // namespace spio::machine
