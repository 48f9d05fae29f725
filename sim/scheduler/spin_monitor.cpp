// Observes a thread that only reads.
// SPDX-License-Identifier: Apache-2.0
#include "sim/scheduler/spin_monitor.h"

#include <bit>

namespace spio::sim {

bool spin_monitor::observe(void const* address) {
    auto const hash = reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U;
    addresses_ |= std::uint64_t{1} << (hash >> 58);
    if (reads_ < max_reads + window) return false;
    bool const spins = std::popcount(addresses_) <= max_addresses;
    addresses_ = 0;
    // A thread that spins is observed further.
    reads_ = spins ? max_reads : 0;
    return spins;
}

} // namespace spio::sim
