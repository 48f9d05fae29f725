// Bulk loads: ranges and TMA boxes from global to shared memory; an mbarrier counts their bytes.
// SPDX-License-Identifier: Apache-2.0
#include "machine/bulk_copy.h"

#include "sim/checker/diagnostic.h"
#include "sim/checker/memory_checker.h"
#include "sim/instructions/bulk_request.h"
#include "sim/tensor_map.h"

#include <cstring>

namespace spio::sim {

void check_multiple(gpu_thread& thread, void const* global, char const* name, int divisor) {
    auto const excess = reinterpret_cast<std::uintptr_t>(global) % static_cast<unsigned>(divisor);
    if (excess == 0) return;
    raise_misuse(thread, misuse::copy_malformed,
                 "%s at an address that is %d beyond a multiple of %d", name,
                 static_cast<int>(excess), divisor);
}

void check_range(gpu_thread& thread, void const* global, int bytes, access kind, char const* name) {
    if (bytes <= 0 || bytes % 16 != 0) {
        raise_misuse(thread, misuse::copy_malformed,
                     "%s of %d bytes, which is not a multiple of 16", name, bytes);
    }
    check_multiple(thread, global, name, 16);
    check_global(thread, global, bytes, {kind, name, 1});
}

tensor_map const& map_of(gpu_thread& thread, tensor_map_words const* words, char const* name,
                         int rank) {
    static_assert(sizeof(tensor_map) <= sizeof(tensor_map_words));
    check_multiple(thread, words, name, 64);
    auto const& map = *reinterpret_cast<tensor_map const*>(words);
    if (map.rank != rank) {
        raise_misuse(thread, misuse::copy_malformed,
                     "%s at %d coordinates, by a map of a tensor that has %d", name, rank,
                     static_cast<int>(map.rank));
    }
    return map;
}

// Queues a bulk load of `bytes` bytes. Until it is complete, threads must not access its
// destination.
static async_operation& start_load(gpu_thread& thread, void* shared, int bytes, int alignment,
                                   machine::mbarrier_word* barrier, char const* name) {
    auto& block = *thread.block;
    int const destination = shared_offset(thread, shared, bytes, name, alignment);
    int const offset = mbarrier_offset(thread, barrier, name);
    if (!mbarrier_at(thread, offset, name).is_fenced) {
        raise_misuse(thread, misuse::mbarrier_not_made,
                     "%s by the mbarrier at shared offset %d, which was not fenced for the copy "
                     "engine after its init",
                     name, offset);
    }
    access_shared(thread, destination, bytes, {access::write, name, alignment});
    block.shared.mark(destination, bytes, copy_pending, initialised);
    std::memset(block.shared.base + destination, 0xff, static_cast<std::size_t>(bytes));
    auto& load = block.async_operations.emplace_back();
    load.issuer = &thread;
    load.epoch = thread.epoch;
    load.clock = thread.clock;
    load.mbarrier = offset;
    load.bytes = bytes;
    return load;
}

template <int Rank>
static void load_box(void* shared, tensor_map_words const* words, int const (&coordinates)[Rank],
                     machine::mbarrier_word* barrier) {
    auto& thread = *running;
    char const* const name = "box_load";
    auto const& map = map_of(thread, words, name, Rank);
    auto& load = start_load(thread, shared, map.box_bytes(), 128, barrier, name);
    auto const destination = static_cast<int>(thread.block->shared.offset_of(shared));
    map.for_each_chunk(
        coordinates,
        [&](int offset, unsigned char const* source, int bytes) {
            if (source != nullptr) check_global(thread, source, bytes, {access::read, name, 1});
            load.pieces.push_back({destination + offset, source, bytes});
        },
        static_cast<unsigned>(destination));
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void bulk_load(void* shared, void const* global, int bytes, mbarrier_word* barrier) {
    auto& thread = *running;
    check_range(thread, global, bytes, access::read, "bulk_load");
    auto& load = start_load(thread, shared, bytes, 16, barrier, "bulk_load");
    auto const destination = static_cast<int>(thread.block->shared.offset_of(shared));
    load.pieces.push_back({destination, static_cast<unsigned char const*>(global), bytes});
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
void prefetch_map(tensor_map_words const* map) {
    check_multiple(*running, map, "prefetch_map", 64);
}

} // namespace spio::machine
