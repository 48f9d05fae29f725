// Bulk loads: ranges and TMA boxes from global to shared memory; an mbarrier counts their bytes.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. `running` is the simulated thread that this OS
// thread runs now. An epoch is a thread's accesses between two releases, and a clock has those that
// are known to have ended. A tensor map describes a tensor and its boxes. shared_offset() is the
// offset of an address in shared memory, access_shared() checks an access there, and check_global()
// one to global memory. mark() adds bits to the state of bytes of shared memory, and removes
// others.
#include "machine/bulk_copy.h"
#include "machine/cluster_store.h"

#include "sim/checker/diagnostic.h"
#include "sim/checker/memory_checker.h"
#include "sim/instructions/bulk_request.h"
#include "sim/tensor_map.h"

#include <cstring>
#include <iterator>

namespace spio::sim {

void check_multiple(gpu_thread& thread, void const* global, char const* name, int divisor) {
    auto const excess = reinterpret_cast<std::uintptr_t>(global) % static_cast<unsigned>(divisor);
    if (excess == 0) return;
    raise_misuse(thread, misuse::copy_malformed,
                 "%s at an address that is %d beyond a multiple of %d", name,
                 static_cast<int>(excess), divisor);
}

// Checks the number of bytes of a bulk copy, and their alignment.
static void check_bulk(gpu_thread& thread, void const* global, int bytes, char const* name) {
    if (bytes <= 0 || bytes % range_alignment != 0) {
        raise_misuse(thread, misuse::copy_malformed,
                     "%s of %d bytes, which is not a multiple of 16", name, bytes);
    }
    check_multiple(thread, global, name, range_alignment);
}
void check_range(gpu_thread& thread, void const* global, int bytes, access kind, char const* name) {
    check_bulk(thread, global, bytes, name);
    check_global(thread, global, bytes, {kind, name, any_alignment});
}

tensor_map const& map_of(gpu_thread& thread, tensor_map_words const* words, char const* name,
                         int rank) {
    static_assert(sizeof(tensor_map) <= sizeof(tensor_map_words));
    check_multiple(thread, words, name, map_alignment);
    auto const& map = *reinterpret_cast<tensor_map const*>(words);
    if (map.rank != rank) {
        raise_misuse(thread, misuse::copy_malformed,
                     "%s at %d coordinates, by a map of a tensor that has %d", name, rank,
                     static_cast<int>(map.rank));
    }
    return map;
}

// What a bulk load asks for: where it writes in the shared memory of a block, and which mbarrier it
// reports to.
struct load_request {
    int destination, bytes, mbarrier;
    char const* name;
};
// Checks the addresses of a load.
static load_request request_of(gpu_thread& thread, void* shared, int bytes, int alignment,
                               machine::mbarrier_word* barrier, char const* name) {
    return {shared_offset(thread, shared, bytes, name, alignment), bytes,
            mbarrier_offset(thread, barrier, name), name};
}

// Queues a bulk load to a block of the thread's cluster. Until it is complete, threads must not
// access its destination.
static async_operation& start_load(gpu_thread& thread, gpu_block& block,
                                   load_request const& request) {
    auto const& [destination, bytes, offset, name] = request;
    bool const is_own = &block == thread.block;
    auto const& barrier =
        is_own ? mbarrier_at(thread, offset, name) : mbarrier_at(thread, block, offset, name);
    if (!barrier.is_fenced) {
        raise_misuse(thread, misuse::mbarrier_not_made,
                     "%s by the mbarrier at shared offset %d, which was not fenced for the copy "
                     "engine after its init",
                     name, offset);
    }
    if (is_own) access_shared(thread, destination, bytes, {access::write, name, any_alignment});
    block.shared.mark(destination, bytes, copy_pending, initialised);
    std::memset(block.shared.base + destination, 0xff, static_cast<std::size_t>(bytes));
    auto& load = block.async_operations.emplace_back();
    load.issuer = &thread;
    load.target = &block;
    load.epoch = thread.epoch;
    load.clock = thread.clock;
    load.mbarrier = offset;
    load.bytes = bytes;
    return load;
}

// The pieces of a box in global memory.
template <int Rank>
static void add_pieces(gpu_thread& thread, async_operation& load, tensor_map const& map,
                       int const (&coordinates)[Rank], load_request const& request) {
    map.for_each_chunk(
        coordinates,
        [&](int offset, unsigned char const* source, int bytes) {
            if (source != nullptr) {
                check_global(thread, source, bytes, {access::read, request.name, any_alignment});
            }
            load.pieces.push_back({request.destination + offset, source, bytes});
        },
        static_cast<unsigned>(request.destination));
}

// Reads a box of `Rank` coordinates into the shared memory of the thread's own block.
template <int Rank>
static void load_box(void* shared, tensor_map_words const* words, int const (&coordinates)[Rank],
                     machine::mbarrier_word* barrier) {
    auto& thread = *running;
    auto const& map = map_of(thread, words, "box_load", Rank);
    auto const request =
        request_of(thread, shared, map.box_bytes(), box_alignment, barrier, "box_load");
    add_pieces(thread, start_load(thread, *thread.block, request), map, coordinates, request);
}

// Reads a box into the shared memory of each block whose bit is set in the mask `ranks`.
template <int Rank>
static void multicast_box(void* shared, tensor_map_words const* words,
                          int const (&coordinates)[Rank], machine::mbarrier_word* barrier,
                          unsigned ranks) {
    auto& thread = *running;
    char const* const name = "box_multicast";
    auto const& map = map_of(thread, words, name, Rank);
    auto const request = request_of(thread, shared, map.box_bytes(), box_alignment, barrier, name);
    for (int rank = 0; ranks >> rank != 0; ++rank) {
        if ((ranks >> rank & 1) == 0) continue;
        auto& load = start_load(thread, block_of_rank(thread, rank, name), request);
        add_pieces(thread, load, map, coordinates, request);
    }
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void bulk_load(void* shared, void const* global, int bytes, mbarrier_word* barrier) {
    auto& thread = *running;
    check_range(thread, global, bytes, access::read, "bulk_load");
    auto const request = request_of(thread, shared, bytes, range_alignment, barrier, "bulk_load");
    auto& load = start_load(thread, *thread.block, request);
    load.pieces.push_back({request.destination, static_cast<unsigned char const*>(global), bytes});
}
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[1],
              mbarrier_word* barrier) {
    load_box(shared, map, coordinates, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[2],
              mbarrier_word* barrier) {
    load_box(shared, map, coordinates, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[3],
              mbarrier_word* barrier) {
    load_box(shared, map, coordinates, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[4],
              mbarrier_word* barrier) {
    load_box(shared, map, coordinates, barrier);
}
void box_load(void* shared, tensor_map_words const* map, int const (&coordinates)[5],
              mbarrier_word* barrier) {
    load_box(shared, map, coordinates, barrier);
}
void box_multicast(void* shared, tensor_map_words const* map, int const (&coordinates)[2],
                   mbarrier_word* barrier, unsigned short ranks) {
    multicast_box(shared, map, coordinates, barrier, ranks);
}
void box_multicast(void* shared, tensor_map_words const* map, int const (&coordinates)[3],
                   mbarrier_word* barrier, unsigned short ranks) {
    multicast_box(shared, map, coordinates, barrier, ranks);
}
void store_in_cluster(void* shared, unsigned const (&words)[4], mbarrier_word* barrier, int rank) {
    auto& thread = *running;
    char const* const name = "store_in_cluster";
    auto const request = request_of(thread, shared, sizeof words, range_alignment, barrier, name);
    auto& store = start_load(thread, block_of_rank(thread, rank, name), request);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(words);
    store.data.assign(bytes, bytes + sizeof words);
    store.pieces.push_back({request.destination, store.data.data(), sizeof words});
}
void box_prefetch(tensor_map_words const* map, int const (&coordinates)[3]) {
    map_of(*running, map, "box_prefetch", static_cast<int>(std::size(coordinates)));
}
void box_prefetch(tensor_map_words const* map, int const (&coordinates)[4]) {
    map_of(*running, map, "box_prefetch", static_cast<int>(std::size(coordinates)));
}
void bulk_prefetch(void const* global, int bytes) {
    check_bulk(*running, global, bytes, "bulk_prefetch");
}
void prefetch_map(tensor_map_words const* map) {
    check_multiple(*running, map, "prefetch_map", map_alignment);
}

} // namespace spio::machine
