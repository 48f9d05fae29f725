// Copies a tensor to a permuted one and back, each thread the element that a compound index names.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#include "indexed.h"
#include "spio/tile/thread.cuh"

// Each thread has its own element. (GPU.index)
extern "C" __global__ void index_copy(spio::indexed::params p) {
    using namespace spio;
    using namespace spio::indexed;
    auto const thread = Thread(this_thread());
    auto const element = by_columns(p.permuted)[thread];
    *element = *by_rows(p.source)[thread];
    *by_rows(p.restored)[thread.get<C>()][thread.get<X>()] = *element;
}
