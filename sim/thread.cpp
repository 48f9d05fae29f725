// Who a thread is, its shared memory, and time.
// SPDX-License-Identifier: Apache-2.0
#include "machine/thread.h"

#include "machine/launch_control.h"
#include "machine/shared_address.h"
#include "sim/meeting.h"
#include "sim/schedule.h"

#include <chrono>

namespace spio::sim {

static void perform_change(meeting&) {}
constexpr warp_operation shrink_operation = {"shrink_registers", perform_change};
constexpr warp_operation grow_operation = {"grow_registers", perform_change};

void change_registers(bool more, int) {
    meet(more ? grow_operation : shrink_operation, all_lanes, nullptr);
}

static machine::extent3 triple(extent of) { return {of.x, of.y, of.z}; }

} // namespace spio::sim

namespace spio::machine {

using sim::running;

extent3 thread_index() { return sim::triple(running->at); }
extent3 block_size() { return sim::triple(sim::launch_of(*running).shape.block); }
extent3 block_index() { return sim::triple(running->block->at); }
extent3 grid_size() { return sim::triple(sim::launch_of(*running).shape.grid); }
int lane_index() { return running->lane(); }
int cluster_rank() { return running->block->rank; }
int cluster_size() { return sim::launch_of(*running).shape.cluster.count(); }
unsigned char* dynamic_shared() { return running->block->shared.base; }
unsigned shared_address(void const* pointer) {
    return static_cast<unsigned>(running->block->shared.offset_of(pointer));
}

void nap(int) { sim::poll("nap"); }
unsigned long long nanoseconds() {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<unsigned long long>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

} // namespace spio::machine
