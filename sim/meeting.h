// Where lanes of a warp meet: what each collective is built on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// What a collective does once all its lanes are there.
struct warp_operation {
    char const* name;
    void (*perform)(meeting& all);
};

// The running thread comes with its argument, and leaves when the operation was performed for all.
void meet(warp_operation const& operation, unsigned lanes, void* argument);

// The ranges of a mask, as text.
struct lane_ranges {
    explicit lane_ranges(unsigned lanes);
    char text[100];
};
// A lane has ended, or ends, for which others wait.
[[noreturn]] void refuse_missing(gpu_thread const& missing, meeting const& waiting);

inline constexpr unsigned all_lanes = 0xffffffff;

template <class Call> Call& argument_of(meeting& all, int lane) {
    return *static_cast<Call*>(all.arguments[lane]);
}
template <class F> void for_each_lane(unsigned lanes, F f) {
    for (int lane = 0; lane < 32; lane++) {
        if (lanes >> lane & 1) f(lane);
    }
}

} // namespace spio::sim
