// Convolution row by row, by asynchronous copies and products of matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/bias.cuh"
#include "conv2d/cp_async.h"
#include "conv2d/filter.cuh"
#include "conv2d/row_share.cuh"
#include "conv2d/tensors.h"
#include "spio/facts.h"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/shared_memory.h"
#include "spio/views.h"

namespace spio::conv2d::cp_async {

// A row that is read, among those in shared memory; one of the two rows made that are there.
struct STAGE : dim {
    using dim::dim;
};
struct SIDE : dim {
    using dim::dim;
};
// A tile of a warp, a thread's share of a row.
struct TILE : dim {
    using dim::dim;
};
struct SHARE : dim {
    using dim::dim;
};

// The last digit of a number is taken off it: below a count that the launch may bring.
template <index Digit> __device__ Digit take_digit(unsigned& number, int count) {
    auto const radix = static_cast<unsigned>(count);
    Digit const digit(number % radix);
    number /= radix;
    return digit;
}

template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    using in_memory = tensors<Problem>;
    static constexpr int r = Problem.r;
    static constexpr int groups = Config.groups;
    static constexpr int threads = Config.threads(Problem);

    static constexpr axis<N> n{Config.images};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<W> w{Config.columns_read(Problem)};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};

    using Images = fold<N, Config.images>;
    using Rows = fold<P, Config.rows>;
    using Columns = fold<Q, Config.columns>;
    using Groups = fold<C, 8 * groups>;

    // What is made of a row, column by column, image by image.
    using Made = compound_index<n, q>;

    // Columns have an odd number of cells.
    static constexpr int pitch = Config.pitch();
    using stages = tensor<half8, axis<STAGE>(Config.stages), n, w.pitch(pitch), c / 8>;
    using sides = tensor<half2, axis<SIDE>(2), n, q.pitch(4 * pitch), k / 2>;
    static_assert(Config.shared_bytes(Problem) >= shared_bytes<stages, sides>);

    // A thread copies cells of a row that is read, and of one that is made.
    static constexpr bool has_one_image = Config.images == 1;
    using CellRead =
        typename either<has_one_image, compound_index<w, c / 8>, compound_index<n, w, c / 8>>::type;
    using CellMade =
        typename either<has_one_image, compound_index<q, k / 8>, compound_index<n, q, k / 8>>::type;

    // A warp has a strip of columns of a group.
    static constexpr int strip = 16 * Config.tiles;
    using Warp = compound_index<axis<Q>(Config.columns_of_all()) / strip, k / 8>;
    // Of a piece of 8 columns, from the first of a warp's.
    static constexpr N image_of(int piece) { return Made(8 * piece).template get<N>(); }
    static constexpr Q column_of(int piece) { return Made(8 * piece).template get<Q>(); }

    // As many rows as the filter has, and sums stay where they are; in one, they move on.
    static constexpr int rows_of_loop = Config.unrolled ? r : 1;

    using filter = filter_of_group<Problem>;
    using row_of_sums = sums[Config.tiles];

    // What was read of a row, times each row of the filter.
    template <class Cursor>
    __device__ static void add_products(row_of_sums (&sum)[r], Cursor const& at, filter const& by) {
#pragma unroll
        for (int t = 0; t < Config.tiles; ++t) {
            auto const at_tile = at[image_of(2 * t)][cast<W>(column_of(2 * t))];
#pragma unroll
            for (int pair = 0; pair < filter::pairs; ++pair) {
                two_taps columns;
                columns.load(at_tile[W(2 * pair)]);
#pragma unroll
                for (int n = 0; n < r; ++n) {
                    multiply(sum[n][t], columns, by.taps(R(r - 1 - n), pair));
                }
            }
            if constexpr (filter::has_single) {
                one_tap columns;
                columns.load(at_tile[W(Problem.s - 1)]);
#pragma unroll
                for (int n = 0; n < r; ++n) {
                    multiply(sum[n][t], columns, by.last_tap(R(r - 1 - n)));
                }
            }
        }
    }

    __device__ static void shift(row_of_sums (&sum)[r], vec<float, 2> const& bias) {
#pragma unroll
        for (int t = 0; t < Config.tiles; ++t) {
#pragma unroll
            for (int n = 0; n < r - 1; ++n) sum[n][t] = sum[n + 1][t];
            for (auto& two : sum[r - 1][t].of) two = bias;
        }
    }

    template <class Cursor> __device__ static void put(row_of_sums const& sum, Cursor const& at) {
#pragma unroll
        for (int t = 0; t < Config.tiles; ++t) {
#pragma unroll
            for (int piece = 0; piece < 2; ++piece) {
                auto const& two = sum[t].of[piece];
                int const at_piece = 2 * t + piece;
                *at[image_of(at_piece)][column_of(at_piece)] = half2(two[0], two[1]);
            }
        }
    }

    __device__ __forceinline__ static void run(correlation_args const& args) {
        correlation const correlation = correlation_of<Problem>(args);
        auto number = static_cast<unsigned>(this_block());
        auto const first_group = take_digit<Groups>(number, divup(Problem.groups(), groups));
        auto const first_column = take_digit<Columns>(number, divup(correlation.q, Config.columns));
        auto const first_row = take_digit<Rows>(number, divup(correlation.p, Config.rows));
        auto const first_image = Images(number);
        H const row_read(unfold(first_row).get() - correlation.pad_h);
        W const column_read(unfold(first_column).get() - correlation.pad_w);
        int const rows_made = min(Config.rows, correlation.p - unfold(first_row).get());
        int const rows_read = rows_made + r - 1;

        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const [read, after_read] = memory.template push<stages>();
        auto const [made, rest] = after_read.template push<sides>();

        auto const x = in_memory::read_from(args)[first_image][first_group][column_read];
        auto const y =
            in_memory::made_at(args)[first_image][cast<K>(first_group)][first_row][first_column];
        row_share<CellRead, threads, decltype(x)> from(x, this_thread());
        row_share<CellRead, threads, decltype(read.origin()), true> const to_stage(read.origin(),
                                                                                   this_thread());
        from.step(row_read);
        auto const is_inside = [&](int row) {
            return H(0) <= row_read + H(row) && row_read + H(row) < H(correlation.h);
        };
        auto const load = [&](int row, STAGE stage) {
            if (row < rows_read && is_inside(row)) {
#pragma unroll
                for (int n = 0; n < from.count; ++n) {
                    if (to_stage.is_mine(n, this_thread()))
                        copy_async(to_stage[n][stage], from[n], from.has(n));
                }
            }
            commit_copies();
            from.step(H(1));
        };
#pragma unroll
        for (int row = 0; row < Config.stages - 1; ++row) load(row, STAGE(row));

        auto const warp = Warp(this_warp().get());
        auto const strip_of_warp = warp.template get<fold<Q, strip>>();
        auto const group_of_warp = warp.template get<fold<K, 8>>();
        auto const group =
            min(cast<K>(first_group) + group_of_warp, fold<K, 8>(Problem.groups() - 1));
        filter const by(args.filter.get(), cast<C>(group));
        vec<float, 2> const bias = bias_at<Problem>(args.bias.get(), group);

        auto const row_of_lane = two_taps::row_index();
        auto const read_at = Made(unfold(strip_of_warp + row_of_lane.template get<Q>()).get());
        auto const at_lane = read[read_at.template cast<Q, W>()]
                                 [W(row_of_lane.template get<D8>().get())][cast<C>(group_of_warp)]
                                     .rebase();
        auto const sums_of_lane = for_lane<sums::lane_index>(this_lane());
        auto const made_at = Made(unfold(strip_of_warp + sums_of_lane.template get<Q>()).get());
        auto const made_by_lane =
            made[made_at][group_of_warp][sums_of_lane.template get<fold<K, 2>>()].rebase();
        auto const made_cells = as_vectors<half8>(made);
        row_share<CellMade, threads, decltype(made_cells.origin()), true> const from_side(
            made_cells.origin(), this_thread());
        row_share<CellMade, threads, decltype(y)> to(y, this_thread());
        auto const store = [&](SIDE side) {
#pragma unroll
            for (int n = 0; n < to.count; ++n) {
                if (to.has(n)) *to[n] = *from_side[n][side];
            }
            to.step(P(1));
        };

        // Of row n - r + 1, …, n of those made, after row n of those read: the first is complete.
        row_of_sums sum[r] = {};
#pragma unroll rows_of_loop
        for (int row = 0; row < rows_read; ++row) {
            wait_for_copies<Config.stages - 2>();
            sync_block();
            shift(sum, bias);
            if (is_inside(row)) add_products(sum, at_lane[STAGE(row % Config.stages)], by);
            // While the products are under way.
            if (row >= r) store(SIDE((row - 1) % 2));
            load(row + Config.stages - 1, STAGE((row + Config.stages - 1) % Config.stages));
            if (row >= r - 1) put(sum[0], made_by_lane[SIDE(row % 2)]);
        }
        sync_block();
        store(SIDE((rows_read - 1) % 2));
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config>::run(p.args);
}

} // namespace spio::conv2d::cp_async
