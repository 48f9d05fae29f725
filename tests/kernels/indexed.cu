// Copies a tensor to a permuted one and back, each thread the element that a compound index names.
// SPDX-License-Identifier: Apache-2.0
#include "indexed.h"
#include "spio/tile/thread.cuh"

extern "C" __global__ void index_copy(spio::indexed::params p) {
    using namespace spio;
    using namespace spio::indexed;
    auto const thread = Thread(this_thread());
    auto const to = by_columns(p.to)[thread];
    *to = *by_rows(p.from)[thread];
    *by_rows(p.back)[thread.get<C>()][thread.get<X>()] = *to;
}
