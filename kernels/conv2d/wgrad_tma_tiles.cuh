// The tiles and barriers of a block in wgrad by TMA.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. N, H, W, C
// are the images, rows, columns and channels of the input, N, P, Q, K those of the output, R and S
// the rows and columns of the filter. axis<D>(n) is the dimension D with n values; fold<D, n>, or
// axis / n, counts it in blocks of n. A tensor is a pointer with axes, outermost first. A subscript
// is a position along some of its axes, and returns a cursor: a place in the tensor, with an
// address. Problem (the sizes and options of a call) and Config (how blocks and warps share it) are
// known when a kernel is compiled. A span is some neighbouring rows of dy. A split is a share of
// the rows of all images. With a dilation of 2, rows are in two phases, each of every second row. A
// cell is 16 bytes: 8 channels of a pixel. A stage is one place of a ring in shared memory.
// push<T>() takes room for a tensor T from the block's shared memory, and returns it and the rest.
#pragma once

#include "conv2d/wgrad_cluster.cuh"
#include "conv2d/wgrad_consumer.cuh"
#include "conv2d/wgrad_tma.h"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/shared_memory.h"
#include "spio/tile/warp.cuh"

namespace spio::conv2d::wgrad_tma {

using namespace wgrad;

template <problem Problem, config Config, arch Arch>
    requires(Config.fits(Problem))
struct block {
    static constexpr int groups = Config.groups;
    static constexpr int rows_above = needs_row_above(Problem) ? 1 : 0;

    static constexpr axis<STAGE> stage{Config.stages};
    static constexpr axis<N> n{Config.images};
    static constexpr axis<H> h{Config.input_rows(Problem)};
    static constexpr axis<W> w{Config.input_columns(Problem)};
    static constexpr axis<P> p{Config.dy_rows(Problem)};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};
    static constexpr int box_channels = 8 * Config.box_groups();
    static constexpr axis<C> box_c{box_channels};
    static constexpr axis<K> box_k{box_channels};
    using Box = fold<C, box_channels>;
    static constexpr bool copies_rows = Config.copies_rows(Problem);
    static constexpr auto x_cells = cells_of_tile<copies_rows, box_c, w>();
    static constexpr auto dy_cells = cells_of_tile<copies_rows, box_k, q>();
    using x_tile = tensor<cell<Problem>, n, h, w, x_cells>;
    using dy_tile = tensor<cell<Problem>, n, p, q, dy_cells>;
    // All stages; only where a stage has several boxes do these have an axis.
    template <bool, auto Boxes, auto... Axes> struct stages {
        using type = tensor<cell<Problem>, stage, Boxes, Axes...>;
    };
    template <auto Boxes, auto... Axes> struct stages<false, Boxes, Axes...> {
        using type = tensor<cell<Problem>, stage, Axes...>;
    };
    static constexpr bool has_boxes = Config.boxes() > 1;
    using x_tiles = typename stages<has_boxes, c / box_channels, n, h, w, x_cells>::type;
    using dy_tiles = typename stages<has_boxes, k / box_channels, n, p, q, dy_cells>::type;
    using images = tensors<Problem>;
    using x_map = tensor_map<x_tile, typename images::input>;
    using dy_map = tensor_map<dy_tile, typename images::output>;
    using full_barriers = tensor<mbarrier<Arch>, stage>;
    using empty_barriers = tensor<mbarrier<Arch>, axis<STAGE>(Config.stages + 1)>;
    using inbox_tiles = cluster_inbox<Problem, Config>;
    using received_barrier = tensor<mbarrier<Arch>, axis<STAGE>(1)>;
    // The last of the barriers `empty`, which no stage has. In its first step a warp has read no
    // stage that it could release, and arrives there instead.
    __device__ static STAGE spare() { return STAGE(Config.stages); }
    using ring = ring_position<STAGE, Config.stages>;

    params const& args;
    block_part<Problem, Config> part;
    x_tiles x;
    dy_tiles dy;
    full_barriers full;
    empty_barriers empty;
    inbox_tiles inbox;
    received_barrier received; // counts the bytes that come into the inbox

    __device__ explicit block(params const& params) : args(params), part(params) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const xs = memory.template push<x_tiles, box_alignment<x_tile>>();
        auto const dys = xs.rest.template push<dy_tiles, box_alignment<dy_tile>>();
        auto const fulls = dys.rest.template push<full_barriers>();
        x = xs.tensor;
        dy = dys.tensor;
        full = fulls.tensor;
        auto const empties = fulls.rest.template push<empty_barriers>();
        empty = empties.tensor;
        if constexpr (Config.adds_in_cluster()) {
            auto const inboxes = empties.rest.template push<inbox_tiles>();
            inbox = inboxes.tensor;
            received = inboxes.rest.template push<received_barrier>().tensor;
        }
    }
    __device__ static bool is_producer() { return this_warp() == WARP(Config.consumer_warps()); }
    __device__ spans spans_of_block() const {
        launch_sizes sizes = part.sizes;
        if (Config.whole_images) sizes.p = 1; // an image is one row of a span
        return spans(sizes, Config.images, Config.columns, part.split, part.splits,
                     rows_of(Problem).phases(), rows_of(Problem).live_outputs());
    }

    // The bytes of a row.
    static constexpr int x_row_bytes = copies_rows ? Problem.w * Problem.c * 2 : 0;
    static constexpr int dy_row_bytes = copies_rows ? Problem.q() * Problem.c * 2 : 0;
    // Calls visit(place) for the cells that Axes number, dealt out to the threads of the block.
    template <auto... Axes, class Visit>
    __device__ __forceinline__ static void for_each_cell(Visit const& visit) {
        using Cell = compound_index<Axes...>;
        for (int cell = this_thread(); cell < Cell::size(); cell += Config.threads(Problem)) {
            visit(Cell(cell));
        }
    }
    // Writes zeros to the columns beside the images, where no copy of a row writes.
    __device__ __forceinline__ void clear_padding() const {
        constexpr int x_columns = Config.input_columns(Problem) - Problem.w;
        constexpr int dy_columns = Config.columns - Problem.q();
        if constexpr (x_columns > 0) {
            for_each_cell<stage, n, axis<W>(x_columns), c / 8>([&](auto const& place) {
                W const column = place.template get<W>();
                *x[place][W(column < W(Problem.pad_w) ? 0 : Problem.w)] = {};
            });
        }
        if constexpr (dy_columns > 0) {
            for_each_cell<stage, n, axis<Q>(dy_columns), k / 8>(
                [&](auto const& place) { *dy[place][Q(Problem.q())] = {}; });
        }
    }
    // Writes zeros to the row of x in a stage: it is below the image. Lanes of the producer call.
    __device__ __forceinline__ void clear_row(STAGE number) const {
        using Cell = compound_index<n, images::w, c / 8>;
        for (int cell = this_lane().get(); cell < Cell::size(); cell += 32) {
            *x[number][Cell(cell)][W(Problem.pad_w)] = {};
        }
        fence_for_bulk_copies<Arch>(); // which write there later
    }

    __device__ __forceinline__ void set_up() const {
        if constexpr (copies_rows) clear_padding();
        if (is_producer() && is_first_lane()) {
            if constexpr (!copies_rows) {
                prefetch<Arch>(map_as<x_map>(args.x));
                prefetch<Arch>(map_as<dy_map>(args.dy));
            }
            for (auto const index : range(full)) {
                full[index]->init(1);
                empty[index]->init(Config.consumer_warps());
            }
            // It never completes.
            empty[spare()]->init(Config.consumer_warps() + 1);
            if constexpr (Config.adds_in_cluster()) received[STAGE(0)]->init(1);
            mbarrier<Arch>::publish();
            if constexpr (Config.adds_in_cluster()) {
                int const sums = received_sums<Problem, Config>(part.split);
                // Of each block in the cluster, 16 bytes from each of the 32 lanes for each sum.
                received[STAGE(0)]->arrive_and_expect(sums * Config.cluster * 32 * 16);
            }
        }
        if constexpr (Config.adds_in_cluster()) {
            sync_cluster<Arch>();
        } else {
            sync_block();
        }
        wait_for_kernels_before<Arch>();
        let_kernels_after_start<Arch>(); // not earlier, as in tma.cuh
    }
};

} // namespace spio::conv2d::wgrad_tma
