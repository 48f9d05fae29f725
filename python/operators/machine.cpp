// Opens devices, each when a kernel is first launched there.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A machine is a device with its streams and kernels; a
// policy says whether kernels may be compiled at run time.
#include "machine.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

import spio.host;
import spio.launch;
import spio.runtime;

namespace spio::pytorch {

namespace {

runtime_options options_for(int gpu) {
    runtime_options options;
    options.gpu = gpu;
    if (gpu == host_device) {
        options.gpu = 0;
        options.host = host_machine{.allocate = host::allocate,
                                    .release = host::release,
                                    .encode = host::encode,
                                    .find = host::find};
        options.always_on_host = true;
        options.policy = policy::aot_only;
    }
    return options;
}

} // namespace

machine& machine_of(place const& place) {
    // One for the host device, whose number is -1, and one for each of 64 GPUs.
    static auto& machines = *new std::array<std::atomic<machine*>, 65>();
    static auto& opening = *new std::mutex();
    auto& slot = machines.at(static_cast<std::size_t>(place.gpu + 1));
    if (auto* const opened = slot.load(std::memory_order_acquire)) return *opened;
    std::lock_guard const lock(opening);
    if (slot.load() == nullptr) slot = new machine(options_for(place.gpu));
    return *slot.load();
}

} // namespace spio::pytorch
