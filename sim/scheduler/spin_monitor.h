// Spin detection: loops that read the same few words until another thread changes them.
// SPDX-License-Identifier: Apache-2.0
//
// Threads of a simulated GPU run one at a time: a thread that spins on a word would keep the one
// that changes it from running. So a thread that reads the same words again and again is taken to
// wait.
#pragma once

namespace spio::sim {

// Counts the reads of a thread since it last wrote or waited. A thread that reads for long is
// observed: if it reads only a few addresses, it must let other threads run.
class spin_monitor {
  public:
    // A thread is observed after `max_reads` reads; an observation lasts `window` reads.
    static constexpr unsigned max_reads = 1U << 16;
    static constexpr unsigned window = 128;
    static constexpr int max_addresses = 8; // that a thread reads which counts as spinning

    void reset() { reads_ = 0; }
    // Counts a read at `address`. Returns true if the thread has just been found to spin.
    bool count(void const* address) { return ++reads_ > max_reads && observe(address); }
    // The first address of the last observation for which the predicate holds, or null.
    template <class Predicate> void const* find_address(Predicate is_wanted) const {
        for (int i = 0; i < address_count_; i++) {
            if (is_wanted(addresses_[i])) return addresses_[i];
        }
        return nullptr;
    }

  private:
    bool observe(void const* address);

    unsigned reads_ = 0;
    int address_count_ = 0;
    void const* addresses_[max_addresses] = {};
};

} // namespace spio::sim
