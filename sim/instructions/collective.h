// Collectives: operations that the lanes of a warp perform together once all have arrived.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: each of its threads runs for itself. At an instruction of a
// warp, such as a shuffle, the lanes wait until all that its mask names have come with their
// arguments; the last one computes the results of all.
#pragma once

#include <bit>

namespace spio::sim {

struct collective;
struct gpu_thread;

// An instruction of a warp: how it is called in reports, and the function that performs it for all
// lanes.
struct warp_operation {
    char const* name;
    void (*perform)(collective& collective);
};

// Of an operation whose only effect is that the lanes wait for each other.
inline void do_nothing(collective&) {}

// One collective in progress: an operation for which some lanes of a warp wait.
struct collective {
    warp_operation const* operation = nullptr;
    unsigned lanes = 0;           // mask of the lanes that take part
    unsigned arrived = 0;         // mask of the lanes that have arrived
    gpu_thread* lane_0 = nullptr; // of the warp: its threads lie side by side
    void* arguments[32] = {};
};

// The running thread takes part in a collective of the lanes in the mask `lanes`, with its own
// argument. Returns when the operation has been performed.
void run_collective(warp_operation const& operation, unsigned lanes, void* argument);

// Reports that `thread` ends while other lanes wait for it in a collective.
[[noreturn]] void raise_missing_lane(gpu_thread const& thread, collective const& collective);

// The lanes of a mask as text, for example "0-3,7".
struct lane_ranges {
    explicit lane_ranges(unsigned lanes);
    char text[100];
};

inline constexpr unsigned all_lanes = 0xffffffff;

// The argument with which a lane has arrived.
template <class Argument> Argument& argument_of(collective& collective, int lane) {
    return *static_cast<Argument*>(collective.arguments[lane]);
}
// Calls function(lane) for each lane of a mask.
template <class Function> void for_each_lane(unsigned lanes, Function function) {
    for (; lanes != 0; lanes &= lanes - 1) function(std::countr_zero(lanes));
}

} // namespace spio::sim
