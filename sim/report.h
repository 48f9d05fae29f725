// Reports: how a kernel misuses the GPU, and where.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU. A collective is an operation that
// the lanes of a warp perform together; a bulk store is a copy by the TMA engine.
#pragma once

#include "spio/launch_values.h"

#include <string>

namespace spio::sim {

enum class misuse {
    none,
    launch_malformed,     // more threads or memory than there are, or a cluster that does not fit
    lane_missing,         // a collective that names a lane which cannot arrive
    collective_mismatch,  // lanes of one warp that wait for each other in different collectives
    barrier_malformed,    // a named barrier with a number or a count that it cannot have
    deadlock,             // no thread can go on
    livelock,             // threads poll, and nothing changes
    shared_out_of_bounds, // beyond the block's shared memory
    shared_misaligned,    // an address that is not a multiple of the access's width
    shared_uninitialised, // a read of bytes that were never written
    read_before_wait,     // a read of bytes that an asynchronous copy has yet to write
    write_before_wait,    // a write to bytes that an asynchronous copy has yet to write
    overwritten_while_stored, // a write to bytes that a bulk store has yet to read
    store_without_fence,      // a bulk store of writes that the TMA engine need not see yet
    race,                     // two unordered accesses to one byte, at least one of them a write
    mbarrier_touched,         // a plain access to the word of an mbarrier
    mbarrier_not_made,        // an mbarrier used before its init, or not fenced for the TMA engine
    mbarrier_made_twice,      // an mbarrier initialised where another still is
    mbarrier_overrun,         // more arrivals or bytes than a phase can take
    copy_malformed,           // an asynchronous copy with a size or an address that it cannot have
    copy_abandoned,           // a block that ends while a copy still writes its memory
    global_out_of_bounds,     // outside every allocation
    global_misaligned,        // an address that is not a multiple of the access's width
    global_uninitialised,     // a read of bytes that were never written
    previous_not_awaited,     // an access before a wait for the kernels before this one
    undefined_behaviour,      // undefined by C++ itself
};
char const* name_of(misuse kind);

// One misuse: its kind, its place, and a sentence with its numbers. A report converts to false if
// there was no misuse.
struct report {
    misuse kind = misuse::none;
    std::string kernel = {};
    extent block = {0, 0, 0};
    extent thread = {0, 0, 0};
    std::string sentence = {};

    explicit operator bool() const { return kind != misuse::none; }
    // The whole report in one line.
    std::string text() const;
};

} // namespace spio::sim
