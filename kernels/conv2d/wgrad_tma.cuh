// wgrad by TMA and mma.sync: the partial sums of each block.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output; groups have 8
// channels. A tensor's subscript is a position, and returns a cursor: a place in the tensor.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. A slice is the channels of some groups, which a block takes. With a
// dilation of 2, rows are in two phases, each of every second row. cast<D>(x) is the same number in
// the dimension D.
//
//     x, dy   global --TMA, or bulk copies of whole rows--> a ring of rows, or of whole images, in
//             shared memory
//     mma     ldmatrix.trans: x under two taps x dy -> accumulators of all taps of a group
//     sums    accumulators -> workspace, where wgrad_reduce adds those of all splits
//
// A span is some neighbouring rows of dy; each of its steps takes one row of x and, as long as
// there is one, a row of dy. The last warp is the producer; each other warp consumes all rows for
// its own group. For each stage, an mbarrier `full` tells the consumers that its bytes have come,
// and `empty` tells the producer that all consumers have read it.
#pragma once

#include "conv2d/wgrad_tma_tiles.cuh"

namespace spio::conv2d::wgrad_tma {

// Loads the rows of all steps, as far ahead as there are empty stages. One lane calls TMA.
template <problem Problem, config Config, arch Arch> struct producer {
    using Block = block<Problem, Config, Arch>;
    using x_map = typename Block::x_map;
    using dy_map = typename Block::dy_map;

    Block const& block;
    steps<Problem> schedule;
    typename Block::ring ring = {};

    __device__ __forceinline__ void operator()(row_step const& step) {
        load(step.has_x, schedule.input_row(step.number), step.has_dy(),
             schedule.dy_row(step.number));
    }
    // Loads a row of x and a row of dy, or one of the two, to the next stage.
    __device__ __forceinline__ void load(bool has_x, H row, bool has_dy, P dy_row) {
        if (!has_x && !has_dy) return;
        // Waiting for the opposite parity passes at once when a stage is used for the first time.
        // All lanes wait, although one loads: a lane that fell two phases behind would wait for the
        // wrong parity.
        block.empty[ring.stage()]->wait(ring.parity() ^ 1);
        if constexpr (Block::copies_rows) {
            bool const is_below = has_x && row >= H(Problem.h);
            if (is_below) block.clear_row(ring.stage());
            has_x = has_x && !is_below;
        }
        sync_warp();
        if (is_first_lane()) {
            auto& full = *block.full[ring.stage()];
            if constexpr (Block::copies_rows) {
                full.arrive_and_expect(Config.images * ((has_x ? Block::x_row_bytes : 0) +
                                                        (has_dy ? Block::dy_row_bytes : 0)));
                copy_rows(has_x, row, has_dy, dy_row, full);
            } else {
                full.arrive_and_expect(Config.boxes() * ((has_x ? x_map::num_bytes() : 0) +
                                                         (has_dy ? dy_map::num_bytes() : 0)));
                load_boxes(has_x, row, has_dy, dy_row, full);
            }
        }
        ++ring;
    }
    __device__ __forceinline__ void load_boxes(bool has_x, H row, bool has_dy, P dy_row,
                                               mbarrier<Arch>& full) const {
        using Box = typename Block::Box;
        span const& rows = schedule.current;
        STAGE const stage = ring.stage();
        auto const channels = [&](Box box) {
            return Box(block.part.slice.get() * Config.boxes()) + box;
        };
        if (has_x) {
            correlated_axis const columns =
                padded<Problem>(columns_of(Problem), block.part.sizes.pad_w);
            W const column(columns.first_position(rows.column.get()));
#pragma unroll
            for (auto const box : range(Box(Config.boxes()))) {
                load_box(box_in(block.x[stage], box), map_as<x_map>(block.args.x),
                         make_coordinates(rows.image, row, column, channels(box)), full);
            }
        }
        if (has_dy) {
#pragma unroll
            for (auto const box : range(Box(Config.boxes()))) {
                load_box(box_in(block.dy[stage], cast<K>(box)), map_as<dy_map>(block.args.dy),
                         make_coordinates(rows.image, dy_row, rows.column, cast<K>(channels(box))),
                         full);
            }
        }
    }
    template <class Stage, class Number>
    __device__ __forceinline__ static auto box_in(Stage const& stage, Number box) {
        if constexpr (Block::has_boxes) {
            return stage[box];
        } else {
            return stage;
        }
    }
    // The same where a row of an image is one piece of memory.
    __device__ __forceinline__ void copy_rows(bool has_x, H row, bool has_dy, P dy_row,
                                              mbarrier<Arch>& full) const {
        STAGE const stage = ring.stage();
        auto const xs = block.part.x_images(block.args.x_rows);
        auto const dys = block.part.dy_images(block.args.dy_rows);
        for (auto const image : range(N(Config.images))) {
            N const number = schedule.current.image + image;
            if (has_x) {
                copy_row<Block::images::w, Block::c / 8>(block.x[stage][image][W(Problem.pad_w)],
                                                         xs[number][row], full);
            }
            if (has_dy) {
                copy_row<Block::images::q, Block::k / 8>(block.dy[stage][image],
                                                         dys[number][dy_row], full);
            }
        }
    }
    template <auto Columns, auto Groups, class To, class From>
    __device__ __forceinline__ static void copy_row(To const& destination, From const& source,
                                                    mbarrier<Arch>& full) {
        load_bulk(tensor<cell<Problem>, Columns, Groups>(destination.get()),
                  tensor<cell<Problem> const, Columns, Groups>(source.get()), full);
    }
    __device__ __forceinline__ void load_span() {
        if constexpr (Config.whole_images) {
            constexpr bool has_x = true, has_dy = true;
            load(has_x, H(-Block::rows_above), has_dy, P(0));
        } else {
            schedule.rolled(*this);
        }
    }
};

// Sums the taps of a warp's group, or of a part of them, over the rows of all steps.
template <problem Problem, config Config, arch Arch, int Part> struct consumer {
    using Block = block<Problem, Config, Arch>;
    // Whole images stay in shared memory; of single rows, registers keep what the next step reads.
    using taps = warp_taps<Problem, Config, Config.whole_images, typename Block::x_tiles,
                           typename Block::dy_tiles, Part, Config.parts>;

    Block const& block;
    taps warp;
    typename Block::ring ring = {};
    STAGE held = Block::spare(); // read by the warp, and not yet released

    __device__ __forceinline__ void operator()(row_step const& step) {
        bool const is_loaded = step.loads_row();
        if (is_loaded) block.full[ring.stage()]->wait(ring.parity());
        warp.add(step, ring.stage());
        if (is_loaded) release();
    }
    // The rows of whole images, all known when the loop is unrolled.
    __device__ __forceinline__ void add_images() {
        block.full[ring.stage()]->wait(ring.parity());
#pragma unroll
        for (int number = 0; number < Problem.p() + Problem.r - 1; ++number) add_image_row(number);
        release();
    }
    __device__ __forceinline__ void add_image_row(int number) {
        int const row = number - Problem.pad_h;
        int const first = max(0, number - Problem.p() + 1);
        int const last = min(number, Problem.r - 1);
        row_step const step = {
            .number = number, .offset = 0, .first = first, .last = last, .has_x = true};
        warp.sums.step();
        if (number < Problem.p()) warp.sums.load_dy(warp.dy[ring.stage()][P(number)]);
        if (row >= 0 && row < Block::h.size - Block::rows_above) {
            // The row's place in the stage: a row of zeros may come before the image. Lanes that
            // read the previous row of x, for a pair of taps of the last column, stand a row
            // higher.
            H const stored_row(row + Block::rows_above);
            H const one_above(stored_row > H(0) ? 1 : 0);
            auto const last_tap_row =
                taps::accumulators::points_to_previous_row() ? stored_row - one_above : stored_row;
            warp.sums.add_row(warp.x[ring.stage()][stored_row],
                              warp.last[ring.stage()][last_tap_row], warp.mask, step);
        } else {
            warp.sums.add_no_row(step);
        }
    }
    // Releases the stage of the previous step: the loads of this one may still be in flight.
    __device__ __forceinline__ void release() {
        sync_warp();
        if (is_first_lane()) block.empty[held]->arrive();
        held = ring.stage();
        ++ring;
    }
    __device__ __forceinline__ void add_span() {
        warp.begin_span(block.part.sizes);
        if constexpr (Config.whole_images) {
            add_images();
        } else {
            warp.schedule.unrolled(*this);
        }
    }
};

// Sums a part of the taps of a group over the rows of all steps, and stores it.
template <int Part, problem Problem, config Config, arch Arch>
__device__ __forceinline__ void consume_part(params const& p,
                                             block<Problem, Config, Arch> const& block) {
    using Block = wgrad_tma::block<Problem, Config, Arch>;
    auto rows = block.spans_of_block();
    consumer<Problem, Config, Arch, Part> consumer{block, {block.x, block.dy, block.part.sizes}};
    while (rows.next(consumer.warp.schedule.current)) consumer.add_span();
    if constexpr (Config.adds_in_cluster()) {
        cluster_sum<Problem, Config, Block> const sum{block};
        sum.send(consumer.warp);
        sum.store(p);
    } else {
        consumer.warp.store(p, block.part);
    }
}

template <problem Problem, config Config, arch Arch = sm_90a>
__device__ __forceinline__ void run(params const& p) {
    using Block = block<Problem, Config, Arch>;
    Block const block(p);
    block.set_up();
    constexpr bool moves_registers = Config.moves_registers(Problem);
    if (moves_registers ? this_warp() >= WARP(Config.consumer_warps()) : Block::is_producer()) {
        if constexpr (moves_registers) {
            shrink_registers<Arch, Config.producer_registers>();
            if (!Block::is_producer()) return;
        }
        auto rows = block.spans_of_block();
        producer<Problem, Config, Arch> producer{block, steps<Problem>(block.part.sizes)};
        while (rows.next(producer.schedule.current)) producer.load_span();
        return;
    }
    if constexpr (moves_registers) grow_registers<Arch, Config.consumer_registers()>();
    if (Config.parts == 1 || this_warp() < WARP(Config.groups)) {
        consume_part<0>(p, block);
    } else if constexpr (Config.parts > 1) {
        consume_part<1>(p, block);
    }
}

} // namespace spio::conv2d::wgrad_tma
