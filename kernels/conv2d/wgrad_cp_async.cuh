// wgrad by cp.async and mma.sync: the partial sums of each block.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output; groups have 8
// channels. A cursor is a place in a tensor: a subscript adds a position to it, and step() moves
// it. Problem (the sizes and options of a call) and Config (how blocks and warps share it) are
// known when a kernel is compiled. A slice is the channels of some groups, which a block takes.
// With a dilation of 2, rows are in two phases, each of every second row. cast<D>(x) is the same
// number in the dimension D.
//
//     x, dy   global --cp.async--> a ring of rows in shared memory
//     mma     ldmatrix.trans: x under two taps x dy -> accumulators of all taps of a group
//     sums    accumulators -> workspace, where wgrad_reduce adds those of all splits
//
// A span is some neighbouring rows of dy; each of its steps takes one row of x and, as long as
// there is one, a row of dy. All threads copy rows, in cells of 16 bytes, and every warp consumes
// all rows for its own group. A block barrier in each step tells that its rows have come and that
// the stage of the step before is free.
#pragma once

#include "conv2d/thread_cells.cuh"
#include "conv2d/wgrad_cp_async_tiles.cuh"
#include "spio/tile/async_copy.cuh"

namespace spio::conv2d::wgrad_cp_async {

// Copies the rows of all steps into the ring, one step after the other.
template <problem Problem, config Config> class producer {
    using Block = block<Problem, Config>;
    using Groups = typename block_part<Problem, Config>::Groups;
    // The cells of a row that a thread copies: [n] is the place of the nth one, and has(n) tells
    // whether there is one.
    template <class Cell, class Cursor> using cells = thread_cells<Cell, Block::threads, Cursor>;

    // The first row of a span, in global memory.
    __device__ static auto first_of_x(typename Block::x_images const& x, Groups slice,
                                      span const& rows, int pad_w) {
        correlated_axis const columns = padded<Problem>(columns_of(Problem), pad_w);
        return x[rows.image][slice][H(0)][W(columns.first_position(rows.column.get()))];
    }
    __device__ static auto first_of_dy(typename Block::dy_images const& dy, Groups slice,
                                       span const& rows) {
        return dy[rows.image][cast<K>(slice)][rows.row][rows.column];
    }
    using x_source =
        cells<typename Block::XCell,
              decltype(first_of_x(declval<typename Block::x_images>(), Groups(), span(), 0))>;
    using dy_source =
        cells<typename Block::DyCell,
              decltype(first_of_dy(declval<typename Block::dy_images>(), Groups(), span()))>;

  public:
    __device__ explicit producer(Block const& block)
        : block_(block),
          x_images_(block.x_of()),
          dy_images_(block.dy_of()),
          x_stages_(block.x.origin(), this_thread()),
          dy_stages_(block.dy.origin(), this_thread()),
          spans_(block.spans_of_block()),
          schedule_(block.part.sizes),
          x_(first_of_x(x_images_, block.part.slice, span(), block.part.sizes.pad_w),
             this_thread()),
          dy_(first_of_dy(dy_images_, block.part.slice, span()), this_thread()) {
        begin_span();
    }
    // Commits a group of copies even where no row is left.
    __device__ void load_next() {
        while (has_step_ && !schedule_.step(number_).loads_row()) advance();
        if (has_step_) {
            load(schedule_.step(number_));
            advance();
        }
        commit_copies();
        stage_ = stage_ + 1 == Config.stages ? 0 : stage_ + 1;
    }

  private:
    __device__ void begin_span() {
        has_step_ = spans_.next(schedule_.current);
        if (!has_step_) return;
        number_ = 0;
        x_ = x_source(
            first_of_x(x_images_, block_.part.slice, schedule_.current, block_.part.sizes.pad_w),
            this_thread());
        dy_ =
            dy_source(first_of_dy(dy_images_, block_.part.slice, schedule_.current), this_thread());
        x_.step(schedule_.input_row(0));
    }
    // Goes to the next step, or to the first one of the next span.
    __device__ void advance() {
        x_.step(H(schedule_.dilation));
        ++number_;
        if (schedule_.offset_of(number_) == 0) dy_.step(P(schedule_.phases));
        if (number_ == schedule_.count()) begin_span();
    }
    __device__ void load(row_step const& step) const {
        STAGE const stage(stage_);
        if (step.has_x) {
            bool const is_in_image = schedule_.input_row(step.number) < H(block_.part.sizes.h);
#pragma unroll
            for (int n = 0; n < x_.count; ++n) {
                if (x_stages_.has(n))
                    copy_async(x_stages_[n][stage], x_[n], is_in_image && x_.has(n));
            }
        }
        if (step.has_dy()) {
#pragma unroll
            for (int n = 0; n < dy_.count; ++n) {
                if (dy_stages_.has(n)) copy_async(dy_stages_[n][stage], dy_[n], dy_.has(n));
            }
        }
    }

    Block const& block_;
    typename Block::x_images x_images_;
    typename Block::dy_images dy_images_;
    cells<typename Block::XCell, decltype(declval<typename Block::x_tiles>().origin())> x_stages_;
    cells<typename Block::DyCell, decltype(declval<typename Block::dy_tiles>().origin())>
        dy_stages_;
    spans spans_;
    steps<Problem> schedule_;
    int number_ = 0;
    int stage_ = 0;
    bool has_step_ = false;
    x_source x_;
    dy_source dy_;
};

// Sums the taps of a warp's group over the rows of all steps, and copies its part of the next ones.
template <problem Problem, config Config> struct consumer {
    using Block = block<Problem, Config>;

    wgrad_cp_async::producer<Problem, Config>& producer;
    warp_taps<Problem, Config, /*KeepsRow=*/false, typename Block::x_tiles,
              typename Block::dy_tiles>
        warp;
    int stage = 0;

    __device__ __forceinline__ void operator()(row_step const& step) {
        if (step.loads_row()) {
            wait_for_copies<Config.stages - 2>();
            sync_block();
            producer.load_next();
        }
        warp.add(step, STAGE(stage));
        if (step.loads_row()) stage = stage + 1 == Config.stages ? 0 : stage + 1;
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config> const block(p);
    producer<Problem, Config> producer(block);
#pragma unroll 1
    for (int rows = 0; rows < Config.stages - 1; ++rows) producer.load_next();
    auto spans = block.spans_of_block();
    consumer<Problem, Config> consumer{producer, {block.x, block.dy, block.part.sizes}};
    while (spans.next(consumer.warp.schedule.current)) {
        consumer.warp.begin_span(block.part.sizes);
        consumer.warp.schedule.unrolled(consumer);
    }
    consumer.warp.store(p, block.part);
}

} // namespace spio::conv2d::wgrad_cp_async
