// Ranges and boxes that the copy engine moves: what is asked of it, and what must hold then.
// SPDX-License-Identifier: Apache-2.0
#include "machine/bulk_copy.h"

#include "sim/engine.h"
#include "sim/mbarrier.h"
#include "sim/memory_access.h"
#include "sim/refusal.h"
#include "sim/schedule.h"
#include "sim/telling.h"
#include "sim/tensor_map.h"

#include <cstring>

namespace spio::sim {

static void check_multiple(gpu_thread& thread, void const* global, char const* name, int of) {
    auto const beyond = reinterpret_cast<std::uintptr_t>(global) % static_cast<unsigned>(of);
    if (beyond == 0) return;
    refuse(thread, misuse::copy_malformed, "%s at an address that is %d beyond a multiple of %d",
           name, static_cast<int>(beyond), of);
}
static void check_range(gpu_thread& thread, void const* global, int bytes, char const* name) {
    if (bytes <= 0 || bytes % 16 != 0) {
        refuse(thread, misuse::copy_malformed, "%s of %d bytes, which is not a multiple of 16",
               name, bytes);
    }
    check_multiple(thread, global, name, 16);
    check_global(thread, global, bytes, name);
}
static tensor_map const& map_at(gpu_thread& thread, machine::tensor_map_words const* words,
                                char const* name, int rank) {
    static_assert(sizeof(tensor_map) <= sizeof(machine::tensor_map_words));
    check_multiple(thread, words, name, 64);
    auto const& map = *reinterpret_cast<tensor_map const*>(words);
    if (map.rank != rank) {
        refuse(thread, misuse::copy_malformed,
               "%s at %d coordinates, by a map of a tensor that has %d", name, rank,
               static_cast<int>(map.rank));
    }
    return map;
}

// A load that will come: its destination must be free, and becomes forbidden.
static engine_task& start_load(gpu_thread& thread, void* shared, int bytes, int alignment,
                               machine::mbarrier_word* barrier, char const* name) {
    auto& block = *thread.block;
    int const to = shared_place(thread, shared, bytes, name, alignment);
    int const offset = mbarrier_place(thread, barrier, name);
    auto& counter = mbarrier_at(thread, offset, name);
    if (!counter.fenced) {
        refuse(thread, misuse::mbarrier_not_made,
               "%s by the mbarrier at shared offset %d, which was not fenced for the copy engine "
               "after its init",
               name, offset);
    }
    touch_shared(thread, to, bytes, {access::write, name, alignment});
    block.shared.mark(to, bytes, pending, initialised);
    std::memset(block.shared.base + to, 0xff, static_cast<std::size_t>(bytes));
    auto& task = block.tasks.emplace_back();
    task.issuer = &thread;
    task.when = thread.now;
    task.seen = thread.seen;
    task.barrier = offset;
    task.bytes = bytes;
    return task;
}

template <int Rank>
static void load_box(void* shared, machine::tensor_map_words const* words, int const (&at)[Rank],
                     machine::mbarrier_word* barrier) {
    auto& thread = *running;
    char const* const name = "box_load";
    auto const& map = map_at(thread, words, name, Rank);
    auto& task = start_load(thread, shared, map.box_bytes(), 128, barrier, name);
    auto const to = static_cast<int>(thread.block->shared.offset_of(shared));
    map.for_each_chunk(
        at,
        [&](int offset, unsigned char const* from, int bytes) {
            if (from != nullptr) check_global(thread, from, bytes, name);
            task.pieces.push_back({to + offset, from, bytes});
        },
        static_cast<unsigned>(to));
}

// Whether the copy engine sees what was written there: by a fence of its writer, or of the issuer
// after it had come to know of the write.
static bool is_fenced(gpu_thread const& issuer, write_event const& write) {
    auto const& writer = issuer.block->threads[static_cast<std::size_t>(write.thread)];
    if (writer.fences > write.fences) return true;
    return issuer.fences > 0 && (issuer.fence_meeting > write.meetings ||
                                 issuer.at_bulk_fence.has_seen(write.thread, write.when));
}

static void start_store(gpu_thread& thread, int from, int bytes, int alignment, char const* name) {
    auto& block = *thread.block;
    touch_shared(thread, from, bytes, {access::read, name, alignment});
    unsigned last = 0;
    for (int i = from; i < from + bytes; i++) {
        auto const event = block.shared.written[static_cast<std::size_t>(i)];
        if (event == last || event == 0) continue;
        last = event;
        auto const& write = block.write_events[event - 1];
        if (is_fenced(thread, write)) continue;
        auto const writer = block.threads[static_cast<std::size_t>(write.thread)].at;
        refuse(
            thread, misuse::store_without_fence,
            "%s of %d bytes at shared offset %d, of which thread (%d, %d, %d) wrote byte %d with "
            "no fence_for_bulk_copies after it",
            name, bytes, from, writer.x, writer.y, writer.z, i);
    }
    block.shared.mark(from, bytes, being_read, 0);
    block.being_read.push_back({from, nullptr, bytes});
}

template <int Rank>
static void store_box(machine::tensor_map_words const* words, int const (&at)[Rank],
                      void const* shared) {
    auto& thread = *running;
    char const* const name = "box_store";
    auto const& map = map_at(thread, words, name, Rank);
    for (int d = 0; d < Rank; d++) {
        if (at[d] >= 0) continue;
        refuse(thread, misuse::copy_malformed,
               "box_store from coordinate %d of dimension %d on, where only a load may begin "
               "before the tensor: the chip takes this for an illegal instruction",
               at[d], d);
    }
    int const from = shared_place(thread, shared, map.box_bytes(), name, 128);
    start_store(thread, from, map.box_bytes(), 128, name);
    auto& store = thread.stores.emplace_back();
    store.from = from;
    store.bytes = map.box_bytes();
    map.for_each_chunk(
        at,
        [&](int offset, unsigned char* to, int bytes) {
            if (to == nullptr) return;
            check_global(thread, to, bytes, name);
            store.pieces.push_back({from + offset, to, bytes});
        },
        static_cast<unsigned>(from));
}

// From now on nothing hinders who overwrites the shared memory.
static void read_store(gpu_thread& thread, bulk_store& store) {
    auto& block = *thread.block;
    for (auto const& piece : store.pieces) {
        auto const* const begin = block.shared.base + piece.from;
        store.read.insert(store.read.end(), begin, begin + piece.bytes);
    }
    check_race(thread, as_actor(thread), store.from, store.bytes,
               {access::read, "a bulk store", 1});
    auto& others = block.being_read;
    for (auto other = others.begin(); other != others.end(); other++) {
        if (other->from != store.from || other->bytes != store.bytes) continue;
        others.erase(other);
        break;
    }
    block.shared.mark(store.from, store.bytes, 0, being_read);
    for (auto const& other : others) block.shared.mark(other.from, other.bytes, being_read, 0);
}

static void write_store(gpu_thread& thread, bulk_store& store) {
    auto const* from = store.read.data();
    for (auto const& piece : store.pieces) {
        check_global(thread, piece.to, piece.bytes, "a bulk store");
        std::memcpy(piece.to, from, static_cast<std::size_t>(piece.bytes));
        from += piece.bytes;
    }
}

static void finish_group(gpu_thread& thread, bulk_group& group, bool written) {
    if (!group.is_read) {
        for (auto& store : group.stores) read_store(thread, store);
    }
    group.is_read = true;
    if (!written) return;
    for (auto& store : group.stores) write_store(thread, store);
}

void wait_for_bulk_groups(int under_way, bool written) {
    auto& thread = *running;
    auto& groups = thread.store_groups;
    auto const left = static_cast<std::size_t>(under_way);
    for (std::size_t i = 0; i + left < groups.size(); i++) finish_group(thread, groups[i], written);
    if (written && groups.size() > left) groups.erase(groups.begin(), groups.end() - under_way);
    note_change(thread);
}

void finish_stores(gpu_thread& thread) {
    for (auto& group : thread.store_groups) finish_group(thread, group, true);
    bulk_group last = {std::move(thread.stores)};
    finish_group(thread, last, true);
    thread.store_groups.clear();
    thread.stores.clear();
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void bulk_load(void* shared, void const* global, int bytes, mbarrier_word* barrier) {
    auto& thread = *running;
    check_range(thread, global, bytes, "bulk_load");
    auto& task = start_load(thread, shared, bytes, 16, barrier, "bulk_load");
    auto const to = static_cast<int>(thread.block->shared.offset_of(shared));
    task.pieces.push_back({to, static_cast<unsigned char const*>(global), bytes});
}
void bulk_store(void* global, void const* shared, int bytes) {
    auto& thread = *running;
    check_range(thread, global, bytes, "bulk_store");
    int const from = shared_place(thread, shared, bytes, "bulk_store", 16);
    start_store(thread, from, bytes, 16, "bulk_store");
    auto& store = thread.stores.emplace_back();
    store.from = from;
    store.bytes = bytes;
    store.pieces.push_back({from, static_cast<unsigned char*>(global), bytes});
}
void box_load(void* shared, tensor_map_words const* map, int const (&at)[1],
              mbarrier_word* barrier) {
    load_box(shared, map, at, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&at)[2],
              mbarrier_word* barrier) {
    load_box(shared, map, at, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&at)[3],
              mbarrier_word* barrier) {
    load_box(shared, map, at, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&at)[4],
              mbarrier_word* barrier) {
    load_box(shared, map, at, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&at)[5],
              mbarrier_word* barrier) {
    load_box(shared, map, at, barrier);
}
void box_store(tensor_map_words const* map, int const (&at)[1], void const* shared) {
    store_box(map, at, shared);
}
void box_store(tensor_map_words const* map, int const (&at)[2], void const* shared) {
    store_box(map, at, shared);
}
void box_store(tensor_map_words const* map, int const (&at)[3], void const* shared) {
    store_box(map, at, shared);
}
void box_store(tensor_map_words const* map, int const (&at)[4], void const* shared) {
    store_box(map, at, shared);
}
void box_store(tensor_map_words const* map, int const (&at)[5], void const* shared) {
    store_box(map, at, shared);
}
void prefetch_map(tensor_map_words const* map) {
    check_multiple(*running, map, "prefetch_map", 64);
}
void commit_bulk_stores() {
    auto& thread = *running;
    thread.store_groups.push_back({std::move(thread.stores)});
    thread.stores.clear();
}

} // namespace spio::machine
