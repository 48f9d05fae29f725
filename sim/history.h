// Who touched each byte of shared memory since the block last met: what finds races.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/vision.h"

#include <cstdint>

namespace spio::sim {

enum class access : unsigned char { read, write, atomic, atomic_read };
constexpr bool only_reads(access how) { return how == access::read || how == access::atomic_read; }

// Who touches: a thread, or the copy engine on behalf of one.
struct actor {
    int number;
    moment when;
    vision const& seen;
    int thread; // whose own past lies before this
};

// Bytes with the same past share one entry, so that most accesses find what to do in a cache.
class history {
  public:
    struct conflict {
        int offset = -1; // of the byte; -1: none
        int other = 0;
        access how = access::read;
    };

    void open(int bytes);
    // Everything so far lies before everything to come.
    void forget();
    conflict touch(actor const& who, int offset, int bytes, access how);

  private:
    struct event {
        int number;
        moment when;
        access how;
    };
    // The last write, and what came since or together with it: reads, or other atomics.
    struct entry {
        event last;
        std::uint32_t others, count; // in others_
    };
    struct step {
        std::uint32_t from, to;
        moment when;
        int number;
        access how;
    };

    std::uint32_t next(std::uint32_t from, actor const& who, access how, conflict& found);
    std::uint32_t follow(std::uint32_t from, actor const& who, access how, conflict& found);
    std::uint32_t add(entry const& made);
    void compact();

    std::vector<std::uint32_t> of_byte_;
    std::uint32_t first_ = 1; // numbers below mean an empty past
    std::vector<entry> entries_;
    std::vector<event> others_;
    std::vector<step> steps_;
};

} // namespace spio::sim
