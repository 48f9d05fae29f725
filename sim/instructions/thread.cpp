// What a thread can ask about itself and its launch; registers of a warpgroup; time.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together, once all have arrived
// with their arguments. `running` is the simulated thread that this OS thread runs now.
#include "machine/thread.h"

#include "machine/launch_control.h"
#include "machine/shared_address.h"
#include "sim/scheduler/scheduler.h"

#include <chrono>

namespace spio::sim {

constexpr warp_operation shrink_operation = {"shrink_registers", do_nothing};
constexpr warp_operation grow_operation = {"grow_registers", do_nothing};

// setmaxnreg: a warp gives registers back, or takes more (grows).
void change_registers(bool grows) {
    run_collective(grows ? grow_operation : shrink_operation, all_lanes, /*argument=*/nullptr);
}

static machine::extent3 triple(extent value) { return {value.x, value.y, value.z}; }

} // namespace spio::sim

namespace spio::machine {

using sim::running;

extent3 thread_index() { return sim::triple(running->index); }
extent3 block_size() { return sim::triple(sim::launch_of(*running).shape.block); }
extent3 block_index() { return sim::triple(running->block->index); }
extent3 grid_size() { return sim::triple(sim::launch_of(*running).grid); }
int lane_index() { return running->lane(); }
int cluster_rank() { return running->block->rank; }
int cluster_size() { return static_cast<int>(sim::launch_of(*running).shape.cluster.count()); }
void wait_for_kernels_before() {
    auto& thread = *running;
    auto& block = *thread.block;
    if (!thread.has_waited_for_previous) {
        block.previous_waits.push_back({thread.number, thread.epoch, block.barriers_passed});
    }
    thread.has_waited_for_previous = true;
}
unsigned char* dynamic_shared() { return running->block->shared.base; }
// The rank of the block in its cluster stands above the offset, as on an H200.
unsigned shared_address(void const* pointer) {
    auto const& block = *running->block;
    return static_cast<unsigned>(block.rank) << 24 |
           static_cast<unsigned>(block.shared.offset_of(pointer));
}

void nap(int) { sim::poll("nap"); }
unsigned long long nanoseconds() {
    auto const time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<unsigned long long>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

} // namespace spio::machine
