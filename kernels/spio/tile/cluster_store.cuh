// Stores to the shared memory of another block of the cluster, counted by a barrier there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/cluster_store.h"
#include "spio/tile/mbarrier.cuh"
#include "spio/tile/vector.h"

namespace spio {

// Stores four floats, without waiting, to a place in the block of this rank in the cluster. The
// cursor and the barrier are those of this block: both lie at the same addresses in the other one.
// There the barrier counts 16 bytes, which its phase must expect.
//     store_in_cluster(inbox[place], sums, received, rank)
template <arch Arch, class Cursor>
    requires has_bulk_copies<Arch> && same<typename Cursor::data_type, vec<float, 4>>
__device__ inline void store_in_cluster(Cursor const& place, vec<float, 4> const& value,
                                        mbarrier<Arch>& barrier, int rank) {
    words_in<vec<float, 4>> const words = bits_as<words_in<vec<float, 4>>>(value);
    machine::store_in_cluster(place.get(), words.values, &barrier.word, rank);
}
// An error message: the name of a template parameter says what is wrong.
template <arch Arch, class CursorToOtherElements>
    requires(!has_bulk_copies<Arch> ||
             !same<typename CursorToOtherElements::data_type, vec<float, 4>>)
void store_in_cluster(CursorToOtherElements const&, vec<float, 4> const&, mbarrier<Arch>&,
                      int) = delete;

} // namespace spio
