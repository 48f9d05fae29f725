// Lets lanes meet, and finds those that cannot.
// SPDX-License-Identifier: Apache-2.0
#include "sim/meeting.h"

#include "sim/refusal.h"
#include "sim/schedule.h"

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

void refuse_missing(gpu_thread const& missing, meeting const& waiting) {
    refuse(missing, misuse::lane_missing,
           "lane %d of warp %d ends, while lanes %s wait for it in %s of lanes %s", missing.lane(),
           missing.warp(), lane_ranges(waiting.here).text, waiting.operation->name,
           lane_ranges(waiting.lanes).text);
}

static void check_lanes(gpu_thread const& thread, gpu_warp const& warp,
                        warp_operation const& operation, unsigned lanes) {
    if (!(lanes >> thread.lane() & 1)) {
        refuse(thread, misuse::collective_mismatch,
               "lane %d of warp %d asks for %s of lanes %s, and is not one of them", thread.lane(),
               thread.warp(), operation.name, lane_ranges(lanes).text);
    }
    if (auto const absent = lanes & ~warp.lanes) {
        refuse(thread, misuse::lane_missing, "%s needs lanes %s, of which warp %d has no %s",
               operation.name, lane_ranges(lanes).text, thread.warp(), lane_ranges(absent).text);
    }
    if (auto const gone = lanes & warp.ended) {
        refuse(thread, misuse::lane_missing,
               "lane %d of warp %d asks for %s of lanes %s, of which %s have ended", thread.lane(),
               thread.warp(), operation.name, lane_ranges(lanes).text, lane_ranges(gone).text);
    }
}

static meeting& meeting_of(gpu_warp& warp, warp_operation const& operation, unsigned lanes) {
    for (auto& there : warp.meetings) {
        if (there.operation == &operation && there.lanes == lanes) return there;
    }
    warp.meetings.push_back({&operation, lanes, 0, nullptr, {}});
    return warp.meetings.back();
}

// Two meetings, each of which waits for a lane that is in the other, come to no end.
static void check_others(gpu_thread const& thread, gpu_warp const& warp, meeting const& mine) {
    for (auto const& there : warp.meetings) {
        if (&there == &mine || !(there.lanes & mine.here) || !(mine.lanes & there.here)) continue;
        refuse(thread, misuse::collective_mismatch,
               "lane %d of warp %d asks for %s of lanes %s, while lanes %s wait in %s of lanes %s",
               thread.lane(), thread.warp(), mine.operation->name, lane_ranges(mine.lanes).text,
               lane_ranges(there.here).text, there.operation->name, lane_ranges(there.lanes).text);
    }
}

void meet(warp_operation const& operation, unsigned lanes, void* argument) {
    auto& thread = *running;
    auto& warp = thread.block->warps[static_cast<std::size_t>(thread.warp())];
    check_lanes(thread, warp, operation, lanes);
    auto& mine = meeting_of(warp, operation, lanes);
    mine.here |= 1U << thread.lane();
    mine.arguments[thread.lane()] = argument;
    mine.first = &thread - thread.lane();
    if (mine.here != lanes) {
        if (warp.meetings.size() > 1) check_others(thread, warp, mine);
        wait({waiting_for::collective, static_cast<int>(lanes), 0, operation.name});
        return;
    }
    meeting all = mine;
    mine = warp.meetings.back();
    warp.meetings.pop_back();
    operation.perform(all);
    for_each_lane(lanes & ~(1U << thread.lane()), [&](int lane) { wake_near(all.first[lane]); });
}

} // namespace spio::sim
