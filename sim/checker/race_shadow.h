// Shadow memory of the race detector: the latest accesses to each byte of a memory.
// SPDX-License-Identifier: Apache-2.0
//
// A thread's epochs count up whenever it releases its accesses to others. A vector clock has, for
// each thread and for the TMA engine, the last epoch that is known to have ended.
#pragma once

#include "sim/checker/vector_clock.h"

#include <cstdint>

namespace spio::sim {

enum class access : unsigned char { read, write, atomic, atomic_read };
constexpr bool is_read(access kind) { return kind == access::read || kind == access::atomic_read; }

// Who makes an access: a thread, or the TMA engine on behalf of a thread.
struct accessor {
    int observer; // the component of vector clocks that stands for it
    epoch_number epoch;
    vector_clock const& clock;
    int thread; // its earlier accesses all happened before this one
};

// The shadow keeps, for each byte, the number of a record of the latest accesses.
// Bytes with the same history share one record. The transition from one record to the next is
// cached by record, accessor and kind of access, so that most accesses cost one look-up.
class race_shadow {
  public:
    struct conflict {
        int offset = -1; // of the byte; -1: there is no race
        int observer = 0;
        access kind = access::read;
    };

    // Begins with so many bytes. The transitions that are kept are a power of two.
    void open(int bytes, std::size_t transitions = 1U << 12);
    // Adds bytes without accesses; returns the offset of the first.
    int grow(int bytes);
    // Forgets all accesses: they happened before all later ones.
    void reset();
    // Records an access to `bytes` bytes at `offset`. If it races with an earlier access, returns
    // that one and stops.
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

    // The number of the record for the bytes of record `number` after an access; 0 stands for no
    // access. If the access is a race, writes it to the last argument instead. cached_next does the
    // same by way of the cache.
    std::uint32_t next(std::uint32_t number, accessor const&, access, conflict&);
    std::uint32_t cached_next(std::uint32_t number, accessor const&, access, conflict&);
    // The new record's number.
    std::uint32_t append(record const&);
    void compact(); // drops records that no byte has

    std::vector<std::uint32_t> record_of_byte_;
    std::uint32_t first_number_ = 1; // of records_; lower numbers stand for no access
    std::vector<record> records_;
    std::size_t most_records_ = 1U << 20; // more are compacted
    std::vector<event> others_;
    std::vector<transition> transitions_;
};

} // namespace spio::sim
