// Finds out whether a thread that reads for long reads only a few addresses.
// SPDX-License-Identifier: Apache-2.0
#include "sim/scheduler/spin_monitor.h"

namespace spio::sim {

// Called for each read after the first max_reads of a thread. The reads after those, `window` of
// them, are an observation: if it ends with at most max_addresses different addresses, the thread
// spins; an address too many ends it, and the count of reads begins again.
bool spin_monitor::observe(void const* address) {
    if (reads_ == max_reads + 1) address_count_ = 0;
    bool const is_known = find_address([&](void const* known) { return known == address; });
    if (!is_known && address_count_ == max_addresses) {
        reads_ = 0;
        return false;
    }
    if (!is_known) addresses_[address_count_++] = address;
    if (reads_ < max_reads + window) return false;
    // Start another observation: the thread may go on spinning.
    reads_ = max_reads;
    return true;
}

} // namespace spio::sim
