// fprop and dgrad by TMA and mma.sync.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A group is 8 channels, and a tile is
// some rows and columns of the output. With folds as units, fold<C, 8>(2) is the third group. A
// tensor's subscript is a position, and returns a cursor: a place in the tensor. Problem (the sizes
// and options of a call) and Config (how blocks and warps share it) are known when a kernel is
// compiled. row_index() is the row that a lane gives to ldmatrix or stmatrix. unfold() counts a
// fold in single steps. cast<D>(x) is the same number in the dimension D. push<T>() takes room for
// a tensor T from the block's shared memory, and returns it and the rest.
//
//     input   global --TMA, or bulk copies of rows--> a shared tile, box by box --ldmatrix-->
//             fragments of 16 columns
//     filter  global --bulk copy--> shared --ldmatrix--> fragments that stay in registers
//     mma     input fragments x filter fragments -> accumulators of r output rows at a time
//     output  accumulators --epilogue, stmatrix--> shared, over input that was read --TMA--> global
//     second  residual or preactivation, global --TMA--> a second shared tile --TMA--> global
//
// Thread 0 asks for all loads of the block at the start, and for the stores of a tile when all
// warps have written it. Warp g computes group g of the block. An mbarrier for each box of a tile's
// rows, and one for the filter, tells that its bytes have come; a block barrier orders the warps'
// writes before the store. has_static_n() says whether the number of images is known when a kernel
// is compiled.
#pragma once

#include "conv2d/tma_consumer.cuh"
#include "conv2d/whole_rows.cuh"
#include "spio/tile/launch_control.cuh"

namespace spio::conv2d::tma {

// A block: its groups, the first of its tiles, and its part of shared memory.
template <problem Problem, config Config, arch Arch>
    requires(Config.fits(Problem))
struct block {
    using tiles = block_tiles<Problem, Config, Arch>;
    using Groups = typename tiles::Groups;
    using FilterGroup = typename tiles::filter::Group;
    using tile_position = typename tiles::tile_position;
    using rows = whole_rows<Problem, Config, Arch>;
    static constexpr bool may_prefetch = !Problem.has_static_n() || Config.prefetches(Problem);

    params const& p;
    correlation sizes;
    N images;
    Groups first_group;
    int first_tile;
    int group_count; // of the block, fewer than Config.groups where the channels end
    typename tiles::input_tiles input;
    typename tiles::output_tiles output; // in the memory of the input
    typename tiles::second_tiles second; // residual or preactivation
    typename tiles::filter_groups filter;
    typename tiles::barriers full;
    bool is_issuer;

    __device__ __forceinline__ explicit block(params const& params)
        : p(params),
          sizes(correlation_of<Problem>(params.args)),
          images(Problem.has_static_n() ? N(Problem.n) : params.args.output.template extent<N>()) {
        int const groups = groups_of<Problem>(params.args.input.template extent<C>().get());
        int const blocks_across = divup(groups, Config.groups);
        first_group = Groups(this_block() % blocks_across);
        first_tile = this_block() / blocks_across * Config.tiles_per_block;
        group_count = min(Config.groups, groups - fold<C, 8>(first_group).get());

        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const inputs = tiles::push_input(memory);
        auto const seconds = tiles::push_second(inputs.rest);
        auto const outputs = tiles::push_output(memory, seconds.rest);
        auto const filters = outputs.rest.template push<typename tiles::filter_groups>();
        input = inputs.tensor;
        second = seconds.tensor;
        output = outputs.tensor;
        filter = filters.tensor;
        full = filters.rest.template push<typename tiles::barriers>().tensor;
        is_issuer = this_thread() == 0;
    }
    __device__ auto place_of_output(tile_position const& position, N image,
                                    BOX box = BOX(0)) const {
        return make_coordinates(unfold(position.image) + image,
                                unfold(position.row) + P(box.get() * tiles::p_of_box.size),
                                unfold(position.column), cast<K>(first_group));
    }
    __device__ tile_position position_of(TILE tile) const {
        return tile_position(first_tile + tile.get(), sizes, images);
    }

    __device__ __forceinline__ void set_up() const {
        if (is_issuer) {
#pragma unroll
            for (auto const barrier : range(full)) full[barrier]->init(1);
            mbarrier<Arch>::publish();
            if constexpr (!tiles::copies_rows) {
                prefetch<Arch>(map_as<typename tiles::input_map>(p.input));
                prefetch<Arch>(map_as<typename tiles::output_map>(p.output));
            }
        }
        if constexpr (tiles::copies_rows) clear_padding();
        sync_block();
        if constexpr (may_prefetch) {
            if (is_issuer && blocks_of_grid() <= config::most_prefetching_blocks) prefetch_inputs();
        }
        wait_for_kernels_before<Arch>();
        // Not earlier: then blocks of many small launches are resident, and their loads delay those
        // of this one. So blocks of at most two launches share the SMs.
        let_kernels_after_start<Arch>();
    }

    __device__ H first_row_of(tile_position const& position) const {
        return H(rows_of(sizes).first_input(unfold(position.row).get()) + tiles::first_row);
    }
    __device__ W first_column_of(tile_position const& position) const {
        return W(columns_of(sizes).first_input(unfold(position.column).get()));
    }
    // Writes zeros where a tile of the input lies beside the image, for rows that are copied.
    __device__ __forceinline__ void clear_padding() const {
#pragma unroll 1
        for (auto const tile : range(TILE(Config.tiles_per_block))) {
            tile_position const position = position_of(tile);
            if (!position.exists) return;
            rows::clear_padding(input[tile], first_row_of(position), first_column_of(position));
        }
    }
    // Calls visit(tile, position, image, box, place) for each box of the input of all tiles, where
    // place is that in the tensor.
    template <class Visit> __device__ __forceinline__ void for_each_box(Visit const& visit) const {
#pragma unroll
        for (auto const tile : range(TILE(Config.tiles_per_block))) {
            tile_position const position = position_of(tile);
            if (!position.exists) continue;
            H const first = first_row_of(position);
            W const column = first_column_of(position);
#pragma unroll
            for (auto const box : range(BOX(tiles::boxes))) {
                H const row = first + H(box.get() * tiles::h_of_box.size);
#pragma unroll
                for (auto const image : range(N(Config.images))) {
                    visit(
                        tile, position, image, box,
                        make_coordinates(unfold(position.image) + image, row, column, first_group));
                }
            }
        }
    }
    // Brings into the caches what the kernels before this one may yet write: this is no access.
    __device__ __forceinline__ void prefetch_inputs() const {
        auto const& map = map_as<typename tiles::input_map>(p.input);
        for_each_box([&](TILE, tile_position const&, N, BOX, auto const& place) {
            if constexpr (tiles::copies_rows) {
                rows::prefetch(tiles::global::input_of(p.args), place);
            } else {
                prefetch_box<Arch>(map, place);
            }
        });
        tiles::filter::template prefetch<Arch>(
            p.args.filter.get(), FilterGroup(fold<C, 8>(first_group).get()), group_count);
    }

    // Asks for the filter and for the input of all tiles.
    __device__ __forceinline__ void produce() const {
        tiles::filter::template load<Config.groups>(filter, p.args.filter.get(),
                                                    FilterGroup(fold<C, 8>(first_group).get()),
                                                    group_count, *full[tiles::filter_barrier()]);
        typename tiles::input_boxes const boxes(input.get());
        using map_type = typename tiles::input_map;
        using output_map = typename tiles::output_map;
        constexpr int box_bytes = map_type::num_bytes() * (Problem.has_derivative() ? 2 : 1);
        constexpr int residual_bytes = Problem.residual ? output_map::num_bytes() : 0;
        auto const& map = map_as<map_type>(p.input);
        for_each_box([&](TILE tile, tile_position const& position, N image, BOX box,
                         auto const& place) {
            bool const is_first = box == BOX(0);
            auto& barrier = *full[tiles::barrier_of(tile, box)];
            if constexpr (tiles::copies_rows) {
                rows::load(boxes[tile][box], tiles::global::input_of(p.args), place, barrier);
                return;
            }
            if (image == N(0)) {
                barrier.arrive_and_expect(Config.images *
                                          (box_bytes + (is_first ? residual_bytes : 0)));
            }
            load_box(boxes[tile][image][box], map, place, barrier);
            if constexpr (Problem.has_derivative()) {
                load_box(second[tile][image], map_as<map_type>(p.preactivation), place, barrier);
            } else if constexpr (Problem.residual) {
                if (!is_first) return;
                load_box(second[tile][image], map_as<output_map>(p.residual),
                         place_of_output(position, image), barrier);
            }
        });
    }

    // The lane's view of its warp's group, when the filter has come.
    template <class Last> __device__ __forceinline__ auto make_consumer(Last const& last) const {
        auto const warp = this_warp().get();
        bool const has_group = warp < group_count;
        auto const group = fold<C, 8>(warp);
        auto const channel = cast<K>(first_group + (has_group ? group : fold<C, 8>(0)));
        channel_epilogue<Problem> const channels(p.args.bias.get(), p.scale, channel);
        auto const lane = two_taps<element<Problem>>::row_index();
        auto const input_cursor = tiles::input_of_lane(input, group, lane);
        auto const output_cursor = tiles::output_of_lane(output, group, lane);
        full[tiles::filter_barrier()]->wait(0);
        auto const filter_of_group = filter[FilterGroup(has_group ? warp : 0)];
        auto const column = [&] {
            if constexpr (Config.has_pairs_of_rows(Problem)) {
                auto const input_of_rows = tiles::input_of_rows(input, group, lane);
                return paired_column<Problem, decltype(input_of_rows)>{
                    last_column<Problem>(filter_of_group), input_of_rows};
            } else {
                return no_column();
            }
        }();
        return consumer<Problem, Config, Arch, decltype(input_cursor), decltype(output_cursor),
                        decltype(column), Last>{
            has_group,     unfold(channel),
            channels,      input_cursor,
            output_cursor, input,
            output,        second,
            full,          filter_from_shared<Problem, tiles::phases>(filter_of_group),
            column,        last,
        };
    }

    // Sends a box of the output of all images of a tile to global memory, when all warps have
    // written it.
    __device__ __forceinline__ void store(TILE tile, tile_position const& position, BOX box) const {
        fence_for_bulk_copies<Arch>();
        sync_block();
        if (!is_issuer) return;
        if constexpr (tiles::copies_rows) {
            typename tiles::output_boxes const boxes(output.get());
            rows::store(tiles::global::output_of(p.args), place_of_output(position, N(0), box),
                        boxes[tile][box]);
        } else {
            store_boxes(tile, position, box);
        }
        commit_bulk_stores<Arch>();
    }
    __device__ __forceinline__ void store_boxes(TILE tile, tile_position const& position,
                                                BOX box) const {
        auto const& map = map_as<typename tiles::output_map>(p.output);
        typename tiles::output_boxes const boxes(output.get());
#pragma unroll
        for (auto const image : range(N(Config.images))) {
            store_box<Arch>(map, place_of_output(position, image, box), boxes[tile][image][box]);
            if constexpr (Problem.preactivation) {
                static_assert(tiles::output_boxes_of_image == 1);
                store_box<Arch>(map_as<typename tiles::output_map>(p.preactivation),
                                place_of_output(position, image), second[tile][image]);
            }
        }
    }
};

// `last` is the last step of the epilogue (see no_last_step).
template <problem Problem, config Config, arch Arch = sm_90a, class Last = no_last_step>
__device__ __forceinline__ void run(params const& p, Last const& last = {}) {
    using Block = block<Problem, Config, Arch>;
    Block const block(p);
    block.set_up();
    if (block.is_issuer) block.produce();
    auto const consumer = block.make_consumer(last);
#pragma unroll 1
    for (auto const tile : range(TILE(Config.tiles_per_block))) {
        auto const position = block.position_of(tile);
        if (!position.exists) break;
        block.full[Block::tiles::barrier_of(tile, BOX(0))]->wait(0);
        auto const store = [&](BOX box) { block.store(tile, position, box); };
        constexpr BOX last_box(Block::tiles::output_boxes_of_image - 1);
        if (consumer.has_group) {
            consumer.compute(tile, position, store);
        } else {
            if constexpr (consumer.has_spare_warps) consumer.clear_spare(tile);
            for (auto const box : range(last_box)) store(box);
        }
        store(last_box);
    }
    if (block.is_issuer) wait_for_bulk_reads<Arch>();
}

} // namespace spio::conv2d::tma
