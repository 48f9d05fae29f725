// Copies a tensor to a permuted one and back, each thread the element that a compound index names.
// SPDX-License-Identifier: Apache-2.0
#include "indexed.h"
#include "spio/tile/thread.cuh"

extern "C" __global__ void index_copy(spio::indexed::params p) {
    using namespace spio;
    using namespace spio::indexed;
    auto const thread = Thread(this_thread());
    auto const element = by_columns(p.permuted)[thread];
    *element = *by_rows(p.source)[thread];
    *by_rows(p.restored)[thread.get<C>()][thread.get<X>()] = *element;
}
