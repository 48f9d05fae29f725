// Copies by the engine: boxes through a ring of stages, by all threads or by a producer alone.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A compound index is one number for several
// indices, the last of which varies fastest. partition() distributes the positions of an index over
// lanes. push<T>() takes room for a tensor T from the block's shared memory, and returns it and the
// rest.
//
// A block copies the tiles of one image from x to y, by its threads, and to z with flipped signs.
// TMA loads the tiles from x and stores them to z, in boxes. Span is the number of bytes within
// which the cells of a tile are swizzled, or 0. `covered` is an image with the border that its
// tiles cover, and `Tile` the number of a tile in it. origin() is a tensor's cursor at position
// zero.
#include "box_copy.h"

#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/launch_control.cuh"

namespace spio::test::box_copy {

using barrier = mbarrier<sm_90a>;
using barriers = tensor<barrier, axis<STAGE>(stages)>;

// The tiles of the stages in shared memory, with the barriers that say which are full or empty.
template <int Span, int Threads> struct copier {
    using tiles = stage_tiles<Span>;
    using tile = box_copy::tile<Span>;
    using elements = compound_index<tile_h, tile_w, c<Span> / 8>;

    params<Span> const& p;
    tiles stage_of;
    barriers full;
    barriers empty;

    __device__ explicit copier(params<Span> const& launch_params) : p(launch_params) {
        auto const memory = dynamic_shared_memory<shared_bytes<Span>>();
        auto const [tile_array, after_tiles] = memory.template push<tiles, box_alignment<tile>>();
        auto const [full_barriers, after_full] = after_tiles.template push<barriers>();
        auto const [empty_barriers, after_empty] = after_full.template push<barriers>();
        stage_of = tile_array;
        full = full_barriers;
        empty = empty_barriers;
    }
    __device__ static N image() { return N(this_block()); }

    __device__ void load(Tile const& position, bounded<STAGE, stages> stage) const {
        full[stage]->arrive_and_expect(map<Span>::num_bytes());
        load_box(stage_of[stage], p.x, image() + position + origin(), *full[stage]);
    }
    // Copies the loaded tile to y, and negates it in shared memory.
    __device__ void copy_and_negate(Tile const& position, bounded<STAGE, stages> stage,
                                    int thread) const {
        auto const y = covered<Span>(p.y, N(p.images))[image()][position];
        for (auto const element : deal_out(thread)) {
            auto const loaded = stage_of[stage][element];
            cell flipped = *loaded;
            *y[element] = flipped;
            for (unsigned short& scalar : flipped.items) scalar ^= 0x8000;
            *loaded = flipped;
        }
        fence_for_bulk_copies<sm_90a>();
    }
    __device__ void store(Tile const& position, bounded<STAGE, stages> stage) const {
        store_box<sm_90a>(p.z, image() + position, stage_of[stage]);
        commit_bulk_stores<sm_90a>();
    }
    // The elements of a tile that a thread copies.
    __device__ static auto deal_out(int thread) {
        using Thread = compound_index<axis<OFFSET>(Threads)>;
        return elements::template partition<OFFSET>(Thread(thread));
    }
};

// All threads copy; one of them issues the loads and stores of the copy engine.
template <int Span> __device__ void copy_together(params<Span> const& p) {
    constexpr int threads = 64;
    copier<Span, threads> const copy(p);
    bool const is_issuer = this_thread() == 0;
    if (is_issuer) {
        prefetch<sm_90a>(p.x);
        for (auto const stage : range(copy.full)) copy.full[stage]->init(1);
        barrier::publish();
    }
    sync_block();
    if (is_issuer) {
        ring_position<STAGE, stages> load_position;
        for (int tile = 0; tile < stages; ++tile, ++load_position)
            copy.load(Tile(tile), load_position.stage());
    }
    ring_position<STAGE, stages> position;
    for (int tile = 0; tile < Tile::size(); ++tile, ++position) {
        copy.full[position.stage()]->wait(position.parity());
        copy.copy_and_negate(Tile(tile), position.stage(), this_thread());
        sync_block();
        if (is_issuer) {
            copy.store(Tile(tile), position.stage());
            wait_for_bulk_reads<sm_90a>();
            if (tile + stages < Tile::size()) copy.load(Tile(tile + stages), position.stage());
        }
    }
    if (is_issuer) wait_for_bulk_stores<sm_90a>();
}

// One warpgroup loads by a single thread; the other has most of the registers, and copies and
// stores.
template <int Span> __device__ void copy_by_producer(params<Span> const& p) {
    constexpr int group = 128;
    copier<Span, group> const copy(p);
    using consumers = named_barrier<1, group>;
    wait_for_kernels_before<sm_90a>();
    if (this_thread() == 0) {
        for (auto const stage : range(copy.full)) {
            copy.full[stage]->init(1);
            copy.empty[stage]->init(1);
        }
        barrier::publish();
    }
    sync_block();
    ring_position<STAGE, stages> position;
    if (this_thread() < group) {
        shrink_registers<sm_90a, 24>();
        if (this_thread() == 0) {
            for (int tile = 0; tile < Tile::size(); ++tile, ++position) {
                // The phase before the first counts as ended.
                copy.empty[position.stage()]->wait(position.parity() ^ 1);
                copy.load(Tile(tile), position.stage());
            }
            let_kernels_after_start<sm_90a>();
        }
    } else {
        grow_registers<sm_90a, 232>();
        int const thread = this_thread() - group;
        for (int tile = 0; tile < Tile::size(); ++tile, ++position) {
            copy.full[position.stage()]->wait(position.parity());
            copy.copy_and_negate(Tile(tile), position.stage(), thread);
            consumers::wait();
            if (thread == 0) {
                copy.store(Tile(tile), position.stage());
                wait_for_bulk_reads<sm_90a>();
                copy.empty[position.stage()]->arrive();
            }
        }
        if (thread == 0) wait_for_bulk_stores<sm_90a>();
    }
}

} // namespace spio::test::box_copy

using namespace spio;
using namespace spio::test::box_copy;

extern "C" __global__ void box_copy_plain(__grid_constant__ params<0> const p) { copy_together(p); }
extern "C" __global__ void box_copy_swizzle_32(__grid_constant__ params<32> const p) {
    copy_together(p);
}
extern "C" __global__ void box_copy_swizzle_64(__grid_constant__ params<64> const p) {
    copy_together(p);
}
extern "C" __global__ void box_copy_swizzle_128(__grid_constant__ params<128> const p) {
    copy_together(p);
}
extern "C" __global__ void __launch_bounds__(256, 1)
    box_copy_by_producer(__grid_constant__ params<128> const p) {
    copy_by_producer(p);
}

extern "C" __global__ void bulk_copy(bulk_params p) {
    using row = tensor<cell, ::bulk / 8>;
    using source = tensor<cell const, ::bulk / 8>;
    auto const memory = dynamic_shared_memory<bulk_shared_bytes>();
    auto const [shared, after_shared] = memory.push<row>();
    barrier& arrived = *after_shared.push<tensor<barrier, axis<STAGE>(1)>>().tensor;
    if (this_thread() == 0) {
        arrived.init(1);
        barrier::publish();
        arrived.arrive_and_expect(static_cast<int>(row::num_bytes()));
        load_bulk(shared, source(p.x), arrived);
        arrived.wait(/*parity=*/0);
        store_bulk<sm_90a>(row(p.y), shared);
        commit_bulk_stores<sm_90a>();
        wait_for_bulk_stores<sm_90a>();
    }
}
