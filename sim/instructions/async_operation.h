// Asynchronous operations: copies that a thread has issued and that are performed later.
// SPDX-License-Identifier: Apache-2.0
//
// An epoch is a thread's accesses between two releases of them to other threads; a vector clock has
// the last epoch of each thread that is known to have ended.
#pragma once

#include "sim/checker/vector_clock.h"

#include <memory>
#include <vector>

namespace spio::sim {

struct gpu_block;
struct gpu_thread;

// A copy of a few bytes from global to shared memory by cp.async. It reads `bytes` bytes and writes
// `size`; those beyond `bytes` become zero.
struct async_copy {
    unsigned char const* source;
    int destination, bytes, size;
};
// cp.async copies that complete together. A group of committed copies usually has one batch. It has
// more if the thread let an mbarrier wait for the copies issued so far: that batch may complete
// before the group does.
struct copy_batch {
    std::vector<async_copy> copies;
    bool is_complete = false;
    // The thread's epoch when it issued the first arrival that waits for this batch; 0: none does.
    // Later arrivals may be performed before it, but a thread that sees any of them may read what
    // the batch has written.
    epoch_number arrival_epoch = 0;
};
using copy_group = std::vector<std::shared_ptr<copy_batch>>;

// A contiguous piece of a bulk load from global to shared memory. A null source means that the
// bytes become zero.
struct load_piece {
    int destination;
    unsigned char const* source;
    int bytes;
};
// An operation that is performed out of the issuing thread's order: a bulk load by the TMA engine,
// or an arrival at an mbarrier after the thread's cp.async copies.
enum class async_kind { bulk_load, arrival };
struct async_operation {
    async_kind kind = async_kind::bulk_load;
    gpu_thread* issuer = nullptr;
    gpu_block* target = nullptr; // whose shared memory a load writes; of the issuer's cluster
    epoch_number epoch = 0;      // of the issuer, when it issued the operation
    vector_clock clock;          // of the issuer, at the same time
    int mbarrier = 0;            // its offset in shared memory
    copy_group copies;
    std::vector<load_piece> pieces;
    std::vector<unsigned char> data; // what a store to another block brings; its piece points here
    int bytes = 0;
};

// Bytes of a block's shared memory.
struct shared_range {
    int offset, bytes;
};
// A contiguous piece of a bulk store from shared to global memory.
struct store_piece {
    int source;
    unsigned char* destination;
    int bytes;
};
// A bulk store first reads shared memory, and writes global memory later.
struct bulk_store {
    shared_range source = {};
    std::vector<store_piece> pieces;
    std::vector<unsigned char> data; // the bytes that it has read
};
// The stores of a group. It is read once they have all read shared memory.
struct bulk_store_group {
    std::vector<bulk_store> stores;
    bool is_read = false;
};

// The TMA engine sees writes of threads only after a proxy fence
// (fence.proxy.async, here fence_for_bulk_copies).
struct proxy_fence {
    unsigned count = 0;           // of the thread's fences so far
    unsigned barriers_passed = 0; // by the block, at the last fence
    vector_clock clock;           // of the thread, at the last fence
};
// A write by a thread: what is needed to decide whether a proxy fence followed it.
struct generic_write {
    int thread;
    epoch_number epoch;
    unsigned barriers_passed; // by the block, before the write
    unsigned fences;          // the thread's proxy fences before the write
};

} // namespace spio::sim
