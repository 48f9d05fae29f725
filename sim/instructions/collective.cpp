// Lets the lanes of a collective wait for each other, and reports lanes that can never meet.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse breaks a rule of the GPU and ends the launch with a report. A pending collective waits
// for lanes: `lanes` is the mask of those that take part, `arrived` of those that have come.
// `running` is the simulated thread that this OS thread runs now.
#include "sim/instructions/collective.h"

#include "sim/checker/diagnostic.h"
#include "sim/scheduler/scheduler.h"

#include <bit>
#include <cstdio>

namespace spio::sim {

lane_ranges::lane_ranges(unsigned lanes) : text{} {
    int length = 0;
    for (int lane = 0; lane < 32;) {
        int const run = std::countr_one(lanes >> lane);
        if (run > 0) {
            auto const room = sizeof text - static_cast<std::size_t>(length);
            char const* const comma = length == 0 ? "" : ",";
            length += run == 1 ? std::snprintf(text + length, room, "%s%d", comma, lane)
                               : std::snprintf(text + length, room, "%s%d-%d", comma, lane,
                                               lane + run - 1);
        }
        lane += run + 1;
    }
}

void raise_missing_lane(gpu_thread const& thread, collective const& collective) {
    raise_misuse(thread, misuse::lane_missing,
                 "lane %d of warp %d ends, while lanes %s wait for it in %s of lanes %s",
                 thread.lane(), thread.warp(), lane_ranges(collective.arrived).text,
                 collective.operation->name, lane_ranges(collective.lanes).text);
}

// Reports a thread that is not among the lanes it names, or lanes that the warp lacks or that
// ended.
static void check_lanes(gpu_thread const& thread, gpu_warp const& warp,
                        warp_operation const& operation, unsigned lanes) {
    if (!(lanes >> thread.lane() & 1)) {
        raise_misuse(thread, misuse::collective_mismatch,
                     "lane %d of warp %d asks for %s of lanes %s, and is not one of them",
                     thread.lane(), thread.warp(), operation.name, lane_ranges(lanes).text);
    }
    if (auto const absent = lanes & ~warp.lanes) {
        raise_misuse(thread, misuse::lane_missing, "%s needs lanes %s, of which warp %d has no %s",
                     operation.name, lane_ranges(lanes).text, thread.warp(),
                     lane_ranges(absent).text);
    }
    if (auto const ended = lanes & warp.ended_lanes) {
        raise_misuse(thread, misuse::lane_missing,
                     "lane %d of warp %d asks for %s of lanes %s, of which %s have ended",
                     thread.lane(), thread.warp(), operation.name, lane_ranges(lanes).text,
                     lane_ranges(ended).text);
    }
}

// The instruction that the other lanes of the mask have begun, or a new one.
static collective& find_or_add(gpu_warp& warp, warp_operation const& operation, unsigned lanes) {
    for (auto& pending : warp.collectives) {
        if (pending.operation == &operation && pending.lanes == lanes) return pending;
    }
    return warp.collectives.emplace_back(collective{.operation = &operation, .lanes = lanes});
}

// Two collectives, each of which waits for a lane that has arrived at the other, never complete.
static void check_mismatch(gpu_thread const& thread, gpu_warp const& warp,
                           collective const& current) {
    for (auto const& other : warp.collectives) {
        if (&other == &current) continue;
        if (!(other.lanes & current.arrived) || !(current.lanes & other.arrived)) continue;
        raise_misuse(thread, misuse::collective_mismatch,
                     "lane %d of warp %d asks for %s of lanes %s, while lanes %s wait in %s of "
                     "lanes %s",
                     thread.lane(), thread.warp(), current.operation->name,
                     lane_ranges(current.lanes).text, lane_ranges(other.arrived).text,
                     other.operation->name, lane_ranges(other.lanes).text);
    }
}

// Waits until all lanes of the mask have come; the last one performs the operation for all. The
// argument has the operands of this lane and room for its result.
void run_collective(warp_operation const& operation, unsigned lanes, void* argument) {
    auto& thread = *running;
    auto& warp = thread.block->warps[static_cast<std::size_t>(thread.warp())];
    check_lanes(thread, warp, operation, lanes);
    auto& pending = find_or_add(warp, operation, lanes);
    auto const lane = 1U << thread.lane();
    pending.arrived |= lane;
    pending.arguments[thread.lane()] = argument;
    pending.lane_0 = &thread - thread.lane();
    if (pending.arrived != lanes) {
        if (warp.collectives.size() > 1) check_mismatch(thread, warp, pending);
        wait({.kind = wait_kind::collective, .name = operation.name});
        return;
    }
    collective complete = pending;
    pending = warp.collectives.back();
    warp.collectives.pop_back();
    operation.perform(complete);
    for_each_lane(lanes & ~lane, [&](int other) { wake_lane(complete.lane_0[other]); });
}

} // namespace spio::sim
