// Shadow memory of the race detector: the latest accesses to each byte of shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/checker/vector_clock.h"

#include <cstdint>

namespace spio::sim {

enum class access : unsigned char { read, write, atomic, atomic_read };
constexpr bool is_read(access kind) { return kind == access::read || kind == access::atomic_read; }

// The thread that accesses memory, or the TMA engine on behalf of a thread.
struct accessor {
    int observer; // its component in vector clocks
    epoch_number epoch;
    vector_clock const& clock;
    int thread; // all earlier accesses of this thread happened before
};

// Every byte has the number of a record. Bytes that were accessed alike share one record, and the
// steps from record to record are cached, so that most accesses cost one look-up.
class race_shadow {
  public:
    struct conflict {
        int offset = -1; // of the byte; -1: there is no race
        int observer = 0;
        access kind = access::read;
    };

    void open(int bytes);
    // Everything so far happened before everything to come.
    void reset();
    // Adds an access to some bytes, unless it races with an earlier one.
    conflict add(accessor const& accessor, int offset, int bytes, access kind);

  private:
    struct event {
        int observer;
        epoch_number epoch;
        access kind;
    };
    // The last write, and the reads or other atomics that later accesses must be ordered with too.
    struct record {
        event last_write;
        std::uint32_t first_other, other_count; // in others_
    };
    struct transition {
        std::uint32_t source, target;
        epoch_number epoch;
        int observer;
        access kind;
    };

    std::uint32_t cached_next(std::uint32_t number, accessor const&, access, conflict&);
    std::uint32_t next(std::uint32_t number, accessor const&, access, conflict&);
    std::uint32_t append(record const&);
    void compact();

    std::vector<std::uint32_t> record_of_byte_;
    std::uint32_t first_number_ = 1; // of records_; lower numbers stand for no access
    std::vector<record> records_;
    std::vector<event> others_;
    std::vector<transition> transitions_;
};

} // namespace spio::sim
