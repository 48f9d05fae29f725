// The weight gradient row by row, by asynchronous copies and products of matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/row_share.cuh"
#include "conv2d/tap_sums.cuh"
#include "conv2d/tensors.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_span.cuh"
#include "spio/facts.h"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::wgrad_cp_async {

using namespace wgrad;

struct STAGE : dim {
    using dim::dim;
};

template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr int groups = Config.groups;
    static constexpr int threads = Config.threads(Problem);

    static constexpr axis<STAGE> stage{Config.stages};
    static constexpr axis<N> n{Config.images};
    static constexpr axis<W> w{Config.columns_read(Problem)};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};
    static constexpr int pitch = Config.pitch();
    using x_tiles = tensor<half8, stage, n, w.pitch(pitch), c / 8>;
    using dy_tiles = tensor<half8, stage, n, q.pitch(pitch), k / 8>;
    static_assert(Config.shared_bytes(Problem) >= shared_bytes<x_tiles, dy_tiles>);

    using x_images = typename tensors<Problem>::read;
    using dy_images = tensor<half8 const, tensors<Problem>::n, tensors<Problem>::p,
                             tensors<Problem>::q, tensors<Problem>::k / 8>;

    using Groups = fold<C, 8 * groups>;
    static constexpr int slices = wgrad::slices(Problem, groups);
    using Columns = compound_index<n, q>;
    using warp_sums = tap_sums<Problem, Columns, Config.tiles(), false>;
    using there_of_warp = columns_there<Columns, Config.tiles()>;
    static constexpr axis<K> all_k{8 * groups * slices};
    static constexpr axis<PAIR> pair{warp_sums::count};
    static constexpr axis<LANE> lane{32};
    using workspace = tensor<vec<float, 4>, axis<SPLIT>(Config.splits), all_k / 8, pair, lane>;

    // A thread copies cells of a row of x, and of one of y.
    template <index Column, auto Columns, auto Cells>
    using cell_of_row = typename either<Config.images == 1, compound_index<Columns, Cells>,
                                        compound_index<n, Columns, Cells>>::type;
    using XCell = cell_of_row<W, w, c / 8>;
    using DyCell = cell_of_row<Q, q, k / 8>;
    template <class Cell, class Tensor>
    using share_of = row_share<Cell, threads, decltype(declval<Tensor>().origin())>;

    params const& p;
    image_sizes of;
    Groups slice;
    SPLIT split;
    x_tiles x;
    dy_tiles dy;

    __device__ explicit block(params const& given)
        : p(given),
          of(sizes_of<Problem>(given.n, given.h, given.w)),
          slice(this_block() % slices),
          split(this_block() / slices) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const [x_there, after_x] = memory.template push<x_tiles>();
        auto const [dy_there, rest] = after_x.template push<dy_tiles>();
        x = x_there;
        dy = dy_there;
    }
    __device__ spans spans_of_split() const {
        return spans(of, Config.images, Config.columns, split, Config.splits);
    }
    template <class Images, class Row, class Column>
    __device__ static Images images_of(half const* from, int n, int h, int w) {
        auto const* const cells = reinterpret_cast<half8 const*>(from);
        if constexpr (Problem.knows_n()) {
            return Images(cells);
        } else if constexpr (Problem.knows_image()) {
            return Images(cells, N(n));
        } else {
            return Images(cells, N(n), Row(h), Column(w));
        }
    }

    // Copies the rows of all steps, one after the other.
    class loader {
      public:
        __device__ explicit loader(block const& in)
            : in_(in),
              x_images_(images_of<x_images, H, W>(in.p.x, in.of.n, in.of.h, in.of.w)),
              dy_images_(images_of<dy_images, P, Q>(in.p.dy, in.of.n, in.of.p, in.of.q)),
              to_x_(in.x.origin(), this_thread()),
              to_dy_(in.dy.origin(), this_thread()),
              rows_(in.spans_of_split()),
              walk_(in.of.h),
              x_(begin_of_x(x_images_, in.slice, {}), this_thread()),
              dy_(begin_of_dy(dy_images_, in.slice, {}), this_thread()) {
            begin_span();
        }
        // A group of copies, even if there is nothing left.
        __device__ void load_next() {
            while (is_there_ && !walk_.step(number_).has_any()) advance();
            if (is_there_) {
                load(walk_.step(number_));
                advance();
            }
            commit_copies();
            stage_ = stage_ + 1 == Config.stages ? 0 : stage_ + 1;
        }

      private:
        // Where a span begins: the columns of it, in a first row.
        __device__ static auto begin_of_x(x_images const& x, Groups slice, span const& at) {
            return x[at.image][slice][H(0)][W(at.column.get() - Problem.pad_w)];
        }
        __device__ static auto begin_of_dy(dy_images const& dy, Groups slice, span const& at) {
            return dy[at.image][cast<K>(slice)][at.row][at.column];
        }
        using from_x =
            row_share<XCell, threads, decltype(begin_of_x(declval<x_images>(), Groups(), span()))>;
        using from_dy = row_share<DyCell, threads,
                                  decltype(begin_of_dy(declval<dy_images>(), Groups(), span()))>;

        __device__ void begin_span() {
            is_there_ = rows_.next(walk_.at);
            if (!is_there_) return;
            number_ = 0;
            x_ = from_x(begin_of_x(x_images_, in_.slice, walk_.at), this_thread());
            dy_ = from_dy(begin_of_dy(dy_images_, in_.slice, walk_.at), this_thread());
            x_.step(walk_.row_of_x(0));
        }
        __device__ void advance() {
            x_.step(H(1));
            dy_.step(P(1));
            if (++number_ == walk_.at.rows + Problem.r - 1) begin_span();
        }
        __device__ void load(row_step const& step) const {
            STAGE const to(stage_);
            if (step.has_x) {
                bool const is_inside = walk_.row_of_x(step.number) < H(in_.of.h);
#pragma unroll
                for (int n = 0; n < x_.count; ++n) {
                    if (to_x_.has(n)) copy_async(to_x_[n][to], x_[n], is_inside && x_.has(n));
                }
            }
            if (step.has_dy()) {
#pragma unroll
                for (int n = 0; n < dy_.count; ++n) {
                    if (to_dy_.has(n)) copy_async(to_dy_[n][to], dy_[n], dy_.has(n));
                }
            }
        }

        block const& in_;
        x_images x_images_;
        dy_images dy_images_;
        share_of<XCell, x_tiles> to_x_;
        share_of<DyCell, dy_tiles> to_dy_;
        spans rows_;
        steps<Problem> walk_;
        int number_ = 0;
        int stage_ = 0;
        bool is_there_ = false;
        from_x x_;
        from_dy dy_;
    };

    // Where a lane reads the first row: columns of x, those under the last tap, columns of y.
    __device__ static fold<C, 8> group() { return fold<C, 8>(this_warp().get()); }
    __device__ auto x_of_lane() const {
        return x[group()][warp_sums::column_of_x().template cast<Q, W>()][warp_sums::shift_of_x()];
    }
    __device__ auto last_of_lane() const {
        return x[group()][warp_sums::column_of_last().template cast<Q, W>()][W(Problem.s - 1)];
    }
    __device__ auto dy_of_lane() const { return dy[cast<K>(group())][warp_sums::column_of_dy()]; }

    // Adds up the taps of a group, and copies its share of rows.
    struct consumer {
        loader& brings;
        decltype(declval<block>().x_of_lane()) x;
        decltype(declval<block>().last_of_lane()) last;
        decltype(declval<block>().dy_of_lane()) dy;
        steps<Problem> walk;
        there_of_warp there;
        int stage = 0;
        warp_sums sum = {};

        __device__ __forceinline__ void operator()(row_step const& step) {
            if (step.has_any()) {
                wait_for_copies<Config.stages - 2>();
                sync_block();
                brings.load_next();
            }
            STAGE const at(stage);
            sum.step();
            if (step.has_dy()) sum.take_dy(dy[at]);
            if (step.has_x) {
                sum.add_row(x[at], last[at], there, step.first, step.last);
            } else {
                sum.add_no_row(step.first, step.last);
            }
            if (step.has_any()) stage = stage + 1 == Config.stages ? 0 : stage + 1;
        }
    };

    __device__ __forceinline__ void run() const {
        loader brings(*this);
#pragma unroll 1
        for (int ahead = 0; ahead < Config.stages - 1; ++ahead) brings.load_next();
        auto rows = spans_of_split();
        consumer takes{brings,       x_of_lane(),          last_of_lane(),
                       dy_of_lane(), steps<Problem>(of.h), there_of_warp(of.q)};
        while (rows.next(takes.walk.at)) {
            if (of.q > Config.columns) {
                takes.there = there_of_warp(of.q - takes.walk.at.column.get());
            }
            takes.walk.unrolled(takes);
        }
        takes.sum.store(
            workspace(p.workspace)[split][cast<K>(slice)][cast<K>(group())][this_lane()]);
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config>(p).run();
}

} // namespace spio::conv2d::wgrad_cp_async
