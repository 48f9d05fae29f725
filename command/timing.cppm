// How long launches take on a GPU, beside a copy of the same bytes.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>

export module spio.command:timing;

import :device;
import :stage;
import :trial;

export namespace spio::command {

struct timing {
    double microseconds;        // of a launch, the median of replays
    double copy_microseconds;   // of a copy that reads and writes as many bytes
    unsigned replays, launches; // launches of each replay
    // Whether what a launch reads has left the cache since it was last used.
    bool is_cold;
};

// Launches follow each other in a graph, each over another set of arrays, as many as it takes to
// fill the second-level cache twice.
timing time_on_gpu(chosen_device const&, stage&, trial&);

} // namespace spio::command
