// How threads come to know what others have done before: the order that races break.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// What the thread does from now on is not part of what it told.
inline void tell(gpu_thread& thread) {
    thread.now++;
    thread.write_event = 0;
}
inline void learn(gpu_thread& thread, vision const& told) { thread.seen.join(told); }

// All threads wait for all: nobody need remember what was before.
inline void meet_whole_block(gpu_block& block) {
    block.meetings++;
    block.past.forget();
    for (auto& thread : block.threads) thread.seen = {};
}

} // namespace spio::sim
