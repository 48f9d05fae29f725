// One planted bug in each kernel: a read outside its array, a race, a read of nothing, a deadlock.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. Each kernel is named after the tool of
// compute-sanitizer that must find its bug. push<T>() takes room for a tensor T from the block's
// shared memory, and returns it and the rest.
#include "planted.h"
#include "spio/tile/thread.cuh"

// The last thread reads beyond the end.
extern "C" __global__ void planted_memcheck(spio::planted::params p) {
    using namespace spio;
    using namespace spio::planted;
    auto const mine = N(this_thread());
    *row(p.output)[mine] = *row(p.input)[mine + N(1)];
}
// A thread reads what one of another warp writes, without a barrier between them.
extern "C" __global__ void planted_racecheck(spio::planted::params p) {
    using namespace spio;
    using namespace spio::planted;
    auto const memory = dynamic_shared_memory<row::num_bytes()>();
    auto const tile = memory.template push<row>().tensor;
    auto const mine = N(this_thread());
    *tile[mine] = *row(p.input)[mine];
    sync_block();
    *tile[mine] += 1.0f;
    *row(p.output)[mine] = *tile[N(63) - mine];
}
// Reads the output, which no thread has written.
extern "C" __global__ void planted_initcheck(spio::planted::params p) {
    using namespace spio;
    using namespace spio::planted;
    auto const mine = N(this_thread());
    *row(p.output)[mine] += *row(p.input)[mine];
}
// All 32 lanes wait with a mask that names the first 16 only.
extern "C" __global__ void planted_synccheck(spio::planted::params p) {
    using namespace spio;
    using namespace spio::planted;
    auto const mine = N(this_thread());
    *row(p.output)[mine] = *row(p.input)[mine];
    machine::sync_warp(0x0000ffff);
    *row(p.output)[mine] += 1.0f;
}
