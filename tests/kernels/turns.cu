// Warps that take turns: by a queue of resources, and by a semaphore.
// SPDX-License-Identifier: Apache-2.0
//
// Each of the block's warps takes `per_warp` turns, and `admitted` warps may hold a resource at a
// time. A warp that pops a resource from the queue (warp_fifo) holds it until it pushes it back; a
// semaphore only counts. `notes` records for each warp and turn when it entered and left, by a
// clock that ticks whenever it is read; `uses` counts how often each resource was held, by each
// lane. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. push<T>() takes room for a tensor T from the
// block's shared memory, and returns it and the rest. nap() sleeps for so many nanoseconds.
#include "turns.h"

#include "machine/atomic.h"
#include "spio/tile/warp_fifo.cuh"
#include "spio/tile/warp_semaphore.cuh"

namespace spio::turns {

// A thing of which the block has one.
struct ONE : dim {
    using dim::dim;
};
template <class T> using single = tensor<T, axis<ONE>(1)>;

// One lane reads the clock: its ticks are in one order for all warps.
__device__ inline unsigned tick(unsigned* clock) {
    return is_first_lane() ? machine::atomic_add(clock, 1) : 0;
}

// Stays long enough for other warps to enter; the time differs from turn to turn.
__device__ inline void stay(OF_WARP warp, TURN turn) {
    machine::nap(20 * (1 + (warp.get() + 3 * turn.get()) % 5));
}

// Counts a use of the resource, once in each lane. In every turn a lane increments a different
// count of the 32, so that any two turns with a resource need an order between all their lanes. A
// semaphore passes no resource, but a number beyond all, and nothing is counted.
template <class Counts> __device__ void use(Counts counts, unsigned resource, TURN turn) {
    if (resource >= admitted) return;
    int const chosen = (this_lane().value + turn.get()) % 32;
    *counts[RESOURCE(static_cast<int>(resource))][OF_LANE(chosen)] += 1;
}

// One warp calls init; in each turn a warp calls take, and then give_back with what take returned.
template <class Guard, class Init, class Take, class GiveBack>
__device__ void take_turns(params const& p, Init init, Take take, GiveBack give_back) {
    auto const memory = dynamic_shared_memory<shared_bytes>();
    auto const [guards, unguarded] = memory.template push<single<Guard>>();
    auto const [clocks, rest] = unguarded.template push<single<unsigned>>();
    auto const counts = rest.template push<uses>().tensor;
    Guard& guard = *guards[ONE(0)];
    unsigned* const clock = clocks[ONE(0)].get();
    auto const warp = OF_WARP(this_warp().get());
    if (warp == OF_WARP(0)) {
        init(guard);
        if (is_first_lane()) *clock = 0;
    }
    auto const lane = OF_LANE(this_lane().value);
    auto const counted = RESOURCE(warp.get() % admitted);
    if (warp.get() < admitted) *counts[counted][lane] = 0;
    sync_block();
    for (auto const turn : range(TURN(per_warp))) {
        unsigned const resource = take(guard);
        unsigned const entry = tick(clock);
        use(counts, resource, turn);
        stay(warp, turn);
        unsigned const exit = tick(clock);
        give_back(guard, resource);
        if (is_first_lane()) *notes(p.notes)[warp][turn] = {entry, exit, resource};
    }
    sync_block();
    if (warp.get() < admitted) *uses(p.uses)[counted][lane] = *counts[counted][lane];
}

} // namespace spio::turns

// No more warps than are admitted hold a resource at once. (GPU.warp_fifo, warp_semaphore)
extern "C" __global__ void turns_by_fifo(spio::turns::params p) {
    using queue = spio::warp_fifo<spio::turns::admitted>;
    spio::turns::take_turns<queue>(
        p, [](queue& fifo) { fifo.init_with_numbers(spio::turns::admitted); },
        [](queue& fifo) { return fifo.pop(); },
        [](queue& fifo, unsigned resource) { fifo.push(resource); });
}
extern "C" __global__ void turns_by_semaphore(spio::turns::params p) {
    using semaphore = spio::warp_semaphore;
    spio::turns::take_turns<semaphore>(
        p,
        [](semaphore& door) {
            if (spio::is_first_lane()) door.init(spio::turns::admitted);
        },
        [](semaphore& door) {
            door.acquire();
            return ~0u;
        },
        [](semaphore& door, unsigned) { door.release(); });
}
// A semaphore that admits one warp: what it guards is a resource of this warp alone.
extern "C" __global__ void turns_one_by_one(spio::turns::params p) {
    using semaphore = spio::warp_semaphore;
    spio::turns::take_turns<semaphore>(
        p,
        [](semaphore& door) {
            if (spio::is_first_lane()) door.init(1);
        },
        [](semaphore& door) {
            door.acquire();
            return 0u;
        },
        [](semaphore& door, unsigned) { door.release(); });
}
