// Bulk stores: ranges and TMA boxes from shared to global memory, which the issuer waits for.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. `running` is the simulated thread that this OS
// thread runs now. A proxy fence makes writes of threads visible to the TMA engine. An epoch is a
// thread's accesses between two releases. shared_offset() is the offset of an address in shared
// memory, access_shared() checks an access there, check_race() for races alone, and check_global()
// one to global memory. count_change_by() tells the scheduler that something has changed for which
// others may wait. mark() adds bits to the state of bytes of shared memory, and removes others.
#include "sim/checker/diagnostic.h"
#include "sim/checker/memory_checker.h"
#include "sim/instructions/async_engine.h"
#include "sim/instructions/bulk_request.h"
#include "sim/scheduler/scheduler.h"

#include <cstring>
#include <utility>

namespace spio::sim {

// Whether the TMA engine sees a write to shared memory when `issuer` issues a bulk store. Either
// the writing thread made a proxy fence after the write, or the issuer made one after it had
// synchronized with the writing thread.
static bool is_fenced(gpu_thread const& issuer, generic_write const& write) {
    auto const& writer = issuer.block->threads[static_cast<std::size_t>(write.thread)];
    auto const& fence = issuer.last_proxy_fence;
    if (writer.last_proxy_fence.count > write.fences) return true;
    return fence.count > 0 && (fence.barriers_passed > write.barriers_passed ||
                               fence.clock.includes(write.thread, write.epoch));
}

// Reports a store of bytes that threads wrote without a fence for the copy engine.
static void check_fences(gpu_thread& thread, shared_range source, char const* name) {
    auto const& block = *thread.block;
    unsigned last = 0;
    for (int i = source.offset; i < source.offset + source.bytes; i++) {
        auto const number = block.shared.last_write[static_cast<std::size_t>(i)];
        if (number == last || number == 0) continue;
        last = number;
        auto const& write = block.writes[number - 1];
        if (is_fenced(thread, write)) continue;
        auto const writer = block.threads[static_cast<std::size_t>(write.thread)].index;
        raise_misuse(
            thread, misuse::store_without_fence,
            "%s of %d bytes at shared offset %d, of which thread (%d, %d, %d) wrote byte %d with "
            "no fence_for_bulk_copies after it",
            name, source.bytes, source.offset, writer.x, writer.y, writer.z, i);
    }
}

constexpr unsigned char no_state = 0; // no bits of byte_state

// Begins a store in the thread's open group. `name` is the name of the instruction, and `alignment`
// what it needs of the address in shared memory, in bytes.
static bulk_store& start_store(gpu_thread& thread, void const* shared, int bytes, int alignment,
                               char const* name) {
    auto& block = *thread.block;
    shared_range const source = {shared_offset(thread, shared, bytes, name, alignment), bytes};
    access_shared(thread, source.offset, bytes, {access::read, name, alignment});
    check_fences(thread, source, name);
    block.shared.mark(source.offset, bytes, store_pending, no_state);
    block.pending_stores.push_back(source);
    auto& store = thread.stores.emplace_back();
    store.source = source;
    return store;
}

// Stores a box of `Rank` coordinates, but for its elements outside of the tensor.
template <int Rank>
static void store_box(tensor_map_words const* words, int const (&coordinates)[Rank],
                      void const* shared) {
    auto& thread = *running;
    char const* const name = "box_store";
    auto const& map = map_of(thread, words, name, Rank);
    for (int dimension = 0; dimension < Rank; dimension++) {
        if (coordinates[dimension] >= 0) continue;
        raise_misuse(thread, misuse::copy_malformed,
                     "box_store from coordinate %d of dimension %d on, where only a load may begin "
                     "before the tensor: the chip takes this for an illegal instruction",
                     coordinates[dimension], dimension);
    }
    auto& store = start_store(thread, shared, map.box_bytes(), box_alignment, name);
    int const source = store.source.offset;
    map.for_each_chunk(
        coordinates,
        [&](int offset, unsigned char* destination, int bytes) {
            if (destination == nullptr) return;
            check_global(thread, destination, bytes, {access::write, name, any_alignment});
            store.pieces.push_back({source + offset, destination, bytes});
        },
        static_cast<unsigned>(source));
}

// Reads the shared memory of a bulk store, which threads may overwrite from now on.
static void read_source(gpu_thread& thread, bulk_store& store) {
    auto& block = *thread.block;
    auto const [offset, bytes] = store.source;
    for (auto const& piece : store.pieces) {
        auto const* const begin = block.shared.base + piece.source;
        store.data.insert(store.data.end(), begin, begin + piece.bytes);
    }
    check_race(thread, accessor_of(thread), offset, bytes,
               {access::read, "a bulk store", any_alignment});
    auto& pending = block.pending_stores;
    for (auto other = pending.begin(); other != pending.end(); other++) {
        if (other->offset != offset || other->bytes != bytes) continue;
        pending.erase(other);
        break;
    }
    // Another store may yet read some of the same bytes.
    block.shared.mark(offset, bytes, no_state, store_pending);
    for (auto const& other : pending) {
        block.shared.mark(other.offset, other.bytes, store_pending, no_state);
    }
}

// Writes to global memory what the store has read.
static void write_destination(gpu_thread& thread, bulk_store const& store) {
    auto const* data = store.data.data();
    for (auto const& piece : store.pieces) {
        check_global(thread, piece.destination, piece.bytes,
                     {access::write, "a bulk store", any_alignment});
        std::memcpy(piece.destination, data, static_cast<std::size_t>(piece.bytes));
        data += piece.bytes;
    }
}

// Lets the stores of a group read shared memory, if they have not yet; if `writes` is true, also
// lets them write global memory.
static void advance_group(gpu_thread& thread, bulk_store_group& group, bool writes) {
    if (!group.is_read) {
        for (auto& store : group.stores) read_source(thread, store);
    }
    group.is_read = true;
    if (!writes) return;
    for (auto const& store : group.stores) write_destination(thread, store);
}

// Completes all groups but the last `pending`: their reads and, if `writes` is true, their writes.
void wait_for_bulk_groups(int pending, bool writes) {
    auto& thread = *running;
    auto& groups = thread.store_groups;
    auto const rest = static_cast<std::size_t>(pending);
    for (std::size_t i = 0; i + rest < groups.size(); i++) {
        advance_group(thread, groups[i], writes);
    }
    if (writes && groups.size() > rest) groups.erase(groups.begin(), groups.end() - pending);
    count_change_by(thread);
}

void complete_stores(gpu_thread& thread) {
    auto& groups = thread.store_groups;
    if (!thread.stores.empty()) groups.push_back({std::exchange(thread.stores, {})});
    for (auto& group : groups) {
        if (!group.is_read && !group.stores.empty()) {
            auto const [offset, bytes] = group.stores.front().source;
            raise_misuse(thread, misuse::copy_abandoned,
                         "the block has ended, and the thread has not waited until its bulk store "
                         "of %d bytes at shared offset %d has read them",
                         bytes, offset);
        }
        constexpr bool writes = true;
        advance_group(thread, group, writes);
    }
    groups.clear();
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void bulk_store(void* global, void const* shared, int bytes) {
    auto& thread = *running;
    check_range(thread, global, bytes, access::write, "bulk_store");
    auto& store = start_store(thread, shared, bytes, range_alignment, "bulk_store");
    store.pieces.push_back({store.source.offset, static_cast<unsigned char*>(global), bytes});
}
void box_store(tensor_map_words const* map, int const (&coordinates)[1], void const* shared) {
    store_box(map, coordinates, shared);
}
void box_store(tensor_map_words const* map, int const (&coordinates)[2], void const* shared) {
    store_box(map, coordinates, shared);
}
void box_store(tensor_map_words const* map, int const (&coordinates)[3], void const* shared) {
    store_box(map, coordinates, shared);
}
void box_store(tensor_map_words const* map, int const (&coordinates)[4], void const* shared) {
    store_box(map, coordinates, shared);
}
void box_store(tensor_map_words const* map, int const (&coordinates)[5], void const* shared) {
    store_box(map, coordinates, shared);
}
void commit_bulk_stores() {
    auto& thread = *running;
    thread.store_groups.push_back({std::exchange(thread.stores, {})});
}

} // namespace spio::machine
