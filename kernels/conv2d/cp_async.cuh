// fprop and dgrad by cp.async and mma.sync.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. With a dilation of 2, output rows are
// in two phases, each of every second row, and a block takes rows of one phase. `advance` is the
// number of input rows of the phase from an output row to the next. dgrad of stride 2 has columns
// of zeros between the inputs (gaps). Problem (the sizes and options of a call) and Config (how
// blocks and warps share it) are known when a kernel is compiled. rebase() makes a cursor that
// holds its address, computed once. A compound index is one number for several indices, the last of
// which varies fastest. `live` is the number of output rows that read the same input row.
// for_lane<lane_index>(lane) says which elements of a fragment a lane holds. row_index() is the row
// that a lane gives to ldmatrix or stmatrix. unfold() counts a fold in single steps. cast<D>(x) is
// the same number in the dimension D. push<T>() takes room for a tensor T from the block's shared
// memory, and returns it and the rest.
//
//     input   global --cp.async--> a ring of shared rows --ldmatrix--> fragments of 16 columns
//     filter  global -> fragments that stay in registers
//     mma     input fragments x filter fragments -> accumulators of r output rows
//     output  accumulators --epilogue--> one of two rows in shared memory -> global
//     second  residual or preactivation, if the problem has them: see cp_async_second.cuh
//
// r is the number of rows of the filter; a group is 8 channels. All threads copy input rows and
// output rows, in cells of 16 bytes. Each warp computes one group and a strip of 16 *
// Config.mma_tiles neighbouring columns. A step takes one input row. A block barrier at its start
// tells that the row has come, that the stage of the row before is free, and that the last finished
// output row is in the staging memory.
#pragma once

#include "conv2d/cp_async_consumer.cuh"
#include "conv2d/cp_async_rows.cuh"
#include "conv2d/cp_async_second.cuh"
#include "conv2d/filter_from_global.cuh"
#include "spio/base_cursor.h"
#include "spio/extrema.h"

namespace spio::conv2d::cp_async {

// `last` is a callable of the user, the last step of the epilogue: it gets the position (n, p, q,
// k) and the values of two neighbouring channels, which it may change before they are rounded.
template <problem Problem, config Config, class Last = no_last_step>
    requires(Config.fits(Problem))
__device__ __forceinline__ void run(params const& p, Last const& last = {}) {
    using tiles = block_tiles<Problem, Config>;
    using Pixels = typename tiles::Pixels;
    constexpr int threads = Config.threads(Problem), stages = Config.stages, r = Problem.r;
    constexpr int advance = tiles::advance;

    // Setup: the block's part of the tensors, and the first copies.
    int const groups = groups_of<Problem>(p.args.input.template extent<C>().get());
    typename tiles::position const block(correlation_of<Problem>(p.args), groups);
    if (tiles::phases > 1 && block.input_rows == 0) return;
    auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
    auto const [ring, after_ring] = memory.template push<typename tiles::ring>();
    auto const [staging, after_staging] = after_ring.template push<typename tiles::staging>();
    auto const [second_ring, rest] = push_second_ring<tiles>(after_staging);
    auto const preactivations =
        push_if<typename tiles::staging, Problem.preactivation>(rest).tensor;
    auto const input =
        tiles::global::input_of(p.args)[block.image][block.group][block.input_column];
    auto const output = tiles::output_of_block(tiles::global::output_of(p.args), block);
    auto const inputs = tiles::inputs_of(ring);
    producer<tiles, threads, decltype(input), decltype(inputs.origin())> producer(block, input,
                                                                                  inputs.origin());
    auto second = second_producer<tiles, threads>(p, block, second_ring);
    if constexpr (tiles::width.spacing > 1) clear_gaps<tiles, threads>(ring);
#pragma unroll
    for (int row = 0; row < stages - 1; ++row) {
        second.load(row, STAGE(row));
        producer.load(row, STAGE(row));
    }

    // The warp's group and columns.
    auto const warp = typename tiles::Warp(this_warp().get());
    auto const strip = warp.template get<fold<Q, tiles::strip>>();
    auto const warp_group = warp.template get<fold<K, 8>>();
    auto const group = min(cast<K>(block.group) + warp_group, fold<K, 8>(groups - 1));
    filter_from_global<Problem> const filter(p.args.filter.get(), cast<C>(group));
    channel_epilogue<Problem> const channels(p.args.bias.get(), p.epilogue.scale, group);

    // Where the lane reads input for ldmatrix, and where it stages the sums of its two channels.
    auto const row_of_lane = two_taps<element<Problem>>::row_index();
    auto const input_pixel = Pixels(unfold(strip + row_of_lane.template get<Q>()).get());
    auto const input_of_lane =
        ring[input_pixel.template get<N>()][tiles::ring_column(input_pixel.template get<Q>())]
            [filter.column_of_tap(row_of_lane)][cast<C>(warp_group)]
                .rebase();
    auto const sums_of_lane = for_lane<accumulator::lane_index>(this_lane());
    auto const output_pixel = Pixels(unfold(strip + sums_of_lane.template get<Q>()).get());
    auto const staging_of_lane =
        staging[output_pixel][warp_group][sums_of_lane.template get<fold<K, 2>>()].rebase();
    auto const staged = as_vectors<cell<Problem>>(staging);
    epilogue<tiles, threads, decltype(staged.origin()), decltype(output)> epilogue(staged.origin(),
                                                                                   output);
    auto epilogue_of_preactivation =
        preactivation_epilogue<tiles, threads>(p, block, preactivations);
    auto const place_of_lane = [&](auto const& rows) {
        return rows[output_pixel][warp_group][sums_of_lane.template get<fold<K, 2>>()].rebase();
    };
    using to_elements = rounding<Problem, Last>;
    // What happens to two sums of the output row that input row `row` finishes.
    auto const change_sums = [&]([[maybe_unused]] int row, vec<float, 2>& two,
                                 [[maybe_unused]] N image, [[maybe_unused]] Q column) {
        channels.make_preactivation(two);
        if constexpr (Problem.preactivation) {
            *place_of_lane(preactivations)[image][column][SIDE(row / advance % 2)] =
                pair<element<Problem>>(two[0], two[1]);
        }
        if constexpr (!to_elements::is_relu) channels.activate(two);
        if constexpr (Problem.residual) {
            channels.add_residual(two,
                                  *place_of_lane(second_ring)[image][column][STAGE(row % stages)]);
        }
        if constexpr (!same<Last, no_last_step>) {
            last(make_coordinates(unfold(block.image) + output_pixel.template get<N>() + image,
                                  block.row + P(tiles::phases * ((row - (r - 1)) / advance)),
                                  unfold(block.column) + output_pixel.template get<Q>() + column,
                                  unfold(group) + unfold(sums_of_lane.template get<fold<K, 2>>())),
                 two);
        }
    };

    // Input row n finishes the output row that begins at input row n - r + 1, if one does. With the
    // loop unrolled as often as there are accumulators of rows, none moves from one register to
    // another.
    consumer<Problem, Config> consumer;
    constexpr int unrolled_rows = Config.unrolled ? tiles::live : 1;
#pragma unroll unrolled_rows
    for (int first = 0; first < block.input_rows; first += advance) {
#pragma unroll
        for (int offset = 0; offset < advance; ++offset) {
            int const row = first + offset;
            if (offset > 0 && row >= block.input_rows) break;
            bool const finishes_row = (offset - (r - 1)) % advance == 0;
            bool const follows_finished_row = (offset - r) % advance == 0;
            wait_for_copies<stages - 2>();
            if constexpr (Problem.has_derivative()) {
                second.multiply(row, STAGE(row % stages), producer.stage_cells);
            }
            sync_block();
            if (offset == 0) consumer.shift(channels.initial());
            if (block.is_row_in_image(row)) {
                consumer.add_row(input_of_lane[STAGE(row % stages)], filter, offset);
            }
            // These run while the tensor cores are busy.
            if (follows_finished_row && row >= r) {
                epilogue.store(SIDE((row - 1) / advance % 2));
                epilogue_of_preactivation.store(SIDE((row - 1) / advance % 2));
            }
            second.load(row + stages - 1, STAGE((row + stages - 1) % stages));
            producer.load(row + stages - 1, STAGE((row + stages - 1) % stages));
            if (finishes_row && row >= r - 1) {
                auto const staging_row = staging_of_lane[SIDE(row / advance % 2)];
                if constexpr (Problem.has_epilogue() || !same<Last, no_last_step>) {
                    consumer.stage_first_row(row, staging_row, change_sums, to_elements());
                } else {
                    consumer.stage_first_row(row, staging_row, no_epilogue(), to_elements());
                }
            }
        }
    }
    sync_block();
    epilogue.store(SIDE((block.input_rows - 1) / advance % 2));
    epilogue_of_preactivation.store(SIDE((block.input_rows - 1) / advance % 2));
}

} // namespace spio::conv2d::cp_async
