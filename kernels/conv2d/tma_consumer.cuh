// A warp of fprop or dgrad by TMA: it correlates the tiles of a block with the filter of its group.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A tile is some rows and columns of
// the output, an mma tile 16 columns of a row, a tap an element of the filter's window. `live`
// output rows read the same input row. A cursor is a place in a tensor; a subscript moves it.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. for_lane<lane_index>(lane) says which elements of a fragment a lane
// holds. row_index() is the row that a lane gives to ldmatrix or stmatrix. unfold() counts a fold
// in single steps. numbers_below<n> is the list 0, 1, … n - 1 of template arguments.
// has_static_layer() says whether the channels and the padding are known when a kernel is compiled.
#pragma once

#include "conv2d/epilogue.cuh"
#include "conv2d/last_column.cuh"
#include "conv2d/tma_tiles.cuh"
#include "spio/tile/half.cuh"

namespace spio::conv2d::tma {

// Adds the products of one input row to the output rows that read it. Output row p uses the
// accumulators p % live, which are free again once output row p - live is finished. Inlined at any
// size, so that accumulators and filter stay in registers.
template <problem Problem, config Config> struct add_products {
    static constexpr int r = Problem.r;
    static constexpr int live = Config.live_rows(Problem);
    static constexpr int stride = correlation_of(Problem).rows.stride;
    using accumulators = accumulator[live][Config.mma_tiles()];

    accumulators& sums;
    int position; // of the input row, from the first that the tile's first output row reads
    int mma_tile;

    template <class Columns, class Taps>
    __device__ __forceinline__ void operator()(Columns const& columns, Taps const& taps) const {
#pragma unroll
        for (int n = 0; n < r; ++n) {
            int const distance = position - Problem.dilation_h * n;
            int const output_row = distance / stride;
            if (distance >= 0 && distance % stride == 0 && output_row < Config.rows) {
                multiply(sums[output_row % live][mma_tile], columns, taps(R(n)));
            }
        }
    }
};

// The last column of a filter with its taps in pairs of rows, and this lane's cursor at its input
// in the block's first tile; nothing where taps are not in such pairs.
template <problem Problem, class Input> struct paired_column {
    last_column<Problem> taps;
    Input input;
};
struct no_column {};

// A warp with the filter and the epilogue of its group, and this lane's cursors at the input and at
// the output of the block's first tile.
template <problem Problem, config Config, arch Arch, class Input, class Output, class Column,
          class Last>
struct consumer {
    using tiles = block_tiles<Problem, Config, Arch>;
    using tile_position = typename tiles::tile_position;
    using Pixels = typename tiles::Pixels;
    using adder = add_products<Problem, Config>;
    using accumulators = typename adder::accumulators;
    using to_elements = rounding<Problem, Last>;
    using elements = left_fragment<element<Problem>, q16, k8>;
    static constexpr int live = adder::live;
    static constexpr int stride = adder::stride;
    static constexpr int rows = Config.rows;
    static constexpr int spacing = tiles::height.spacing;
    static constexpr int phases = tiles::phases;
    static constexpr bool pairs_rows = Config.has_pairs_of_rows(Problem);
    static constexpr bool has_epilogue = Problem.has_epilogue() || !same<Last, no_last_step>;

    bool has_group;
    K first_channel;
    channel_epilogue<Problem> channels;
    Input input;
    Output output;
    typename tiles::input_tiles inputs;
    typename tiles::output_tiles outputs;
    typename tiles::second_tiles second;
    typename tiles::barriers full;
    filter_from_shared<Problem, phases> filter;
    Column column; // a paired_column or no_column
    Last last;

    // Calls store(box) when all rows of a box of outputs are computed, but not for the last box.
    template <class Store>
    __device__ __forceinline__ void compute(TILE tile, tile_position const& position,
                                            Store const& store) const {
        if constexpr (Problem.has_derivative()) multiply_by_derivative(tile);
        correlate(tile, input[tile], output[tile], position, store);
    }

    // Where the channels end, some warps of a block have no group. Their part of the preactivation,
    // or of an output that overwrites no input, is beyond the tensor, but TMA reads it; so they
    // write zeros.
    static constexpr bool has_spare_warps =
        (!Problem.has_static_layer() || Problem.groups() % Config.groups != 0) &&
        ((Problem.preactivation && !Problem.residual) || tiles::has_gaps);
    __device__ void clear_spare(TILE tile) const {
        if constexpr (tiles::has_gaps) {
            clear(outputs[tile]);
        } else {
            clear(second[tile]);
        }
    }
    template <class Tile> __device__ static void clear(Tile const& tile) {
        using Cell = compound_index<tiles::n_of_tile, tiles::p, tiles::q>;
        auto const cells = tile[fold<K, 8>(this_warp().get())];
        for (int number = this_lane().get(); number < Cell::size(); number += 32) {
            *cells[Cell(number)] = {};
        }
    }

    // Multiplies the gradients of y in a tile by the derivative of the activation, for the warp's
    // group. Zeros outside the image stay zeros.
    __device__ __forceinline__ void multiply_by_derivative(TILE tile) const {
        using Cell = compound_index<tiles::n_of_tile, tiles::h, tiles::w>;
        auto const group = fold<C, 8>(this_warp().get());
        auto const gradients = inputs[tile][group];
        auto const preactivations = second[tile][group];
        for (int number = this_lane().get(); number < Cell::size(); number += 32) {
            Cell const place(number);
            *gradients[place] =
                times_derivative<Problem>(*gradients[place], *preactivations[place]);
        }
        sync_warp();
    }
    // Computes all output rows of a tile for the warp's group, taking the input row by row.
    template <class TileInput, class TileOutput, class Store>
    __device__ __forceinline__ void
    correlate(TILE tile, TileInput const& tile_input, TileOutput const& tile_output,
              tile_position const& position, Store const& store) const {
        accumulators sums;
#pragma unroll
        for (int row = 0; row < tiles::input_rows; ++row) {
            int const place = spacing * row + tiles::height.lead();
#pragma unroll
            for (int begun = place - spacing + 1; begun <= place; ++begun) {
                if (begun < 0 || begun % stride != 0 || begun / stride >= rows) continue;
                for (auto& sum : sums[begun / stride % live]) {
                    for (auto& two : sum.registers) two = channels.initial();
                }
            }
            // Where taps are in pairs of rows, the next row must have come too.
            int const last_read = row + (pairs_rows ? 1 : 0);
            // The first box has come before this function is called. A box may begin with rows of
            // the padding, which are not read.
            int const stored_row = last_read - tiles::first_row, box_rows = tiles::h_of_box.size;
            if (stored_row > 0 && stored_row % box_rows == 0 &&
                stored_row < tiles::boxes * box_rows) {
                full[tiles::barrier_of(tile, BOX(stored_row / box_rows))]->wait(0);
            }
            if (tiles::may_be_in_image(row)) {
                add_row(sums, row, tile_input, numbers_below<Config.mma_tiles()>());
            }
            if constexpr (pairs_rows) add_last_column(sums, row, column.input[tile]);
#pragma unroll
            for (int last = place; last < place + spacing; ++last) {
                int const distance = last - (Problem.extent_h() - 1);
                int const finished = distance / stride;
                if (distance < 0 || distance % stride != 0 || finished >= rows) continue;
                sync_warp(); // all lanes have read the input that this overwrites
#pragma unroll
                for (int mma_tile = 0; mma_tile < Config.mma_tiles(); ++mma_tile) {
                    auto& sum = sums[finished % live][mma_tile];
                    if constexpr (has_epilogue) finish(sum, tile, P(finished), mma_tile, position);
                    sum.template rounded<element<Problem>>(to_elements())
                        .template store<Arch>(
                            tile_output[P(finished)][first_pixel(mma_tile).template get<N>()]
                                       [column_in_tile(mma_tile)]);
                }
                int const next = finished + 1, box_rows_of_output = tiles::p_of_box.size;
                if (next % box_rows_of_output == 0 && next < rows) {
                    store(BOX(finished / box_rows_of_output));
                }
            }
        }
    }
    // The first pixel of an mma tile, and its column from the one at which a lane's cursor stands.
    // The mma tiles of the phases of the same pixels follow one another.
    static constexpr Pixels first_pixel(int mma_tile) { return Pixels(16 * (mma_tile / phases)); }
    static constexpr Q column_in_tile(int mma_tile) {
        return tiles::output_column(first_pixel(mma_tile).template get<Q>(), mma_tile % phases);
    }
    template <class TileInput, int... MmaTile>
    __device__ __forceinline__ void
    add_row(accumulators& sums, int row, TileInput const& tile_input, numbers<MmaTile...>) const {
        (add_mma_tile<MmaTile>(sums, row, tile_input), ...);
    }
    template <int MmaTile, class TileInput>
    __device__ __forceinline__ void add_mma_tile(accumulators& sums, int row,
                                                 TileInput const& tile_input) const {
        constexpr Pixels first = first_pixel(MmaTile);
        constexpr int phase = MmaTile % phases;
        constexpr W offset(tiles::width.input_offset(phase));
        filter.template for_each_step<tiles::width.first_tap(phase), !pairs_rows,
                                      can_exchange_taps(Problem)>(
            tile_input[first.template get<N>()][tiles::tile_column(first.template get<Q>())][offset]
                      [H(row - tiles::first_row)],
            adder{sums, spacing * row + tiles::height.lead(), MmaTile});
    }
    // Adds the products of the last column of taps with an input row and the next one.
    template <class TileInput>
    __device__ __forceinline__ void add_last_column(accumulators& sums, int row,
                                                    TileInput const& tile_input) const {
        bool const has_row = tiles::may_be_in_image(row);
        bool const has_next = row + 1 < tiles::input_rows && tiles::may_be_in_image(row + 1);
        if (!has_row && !has_next) return;
        static_assert(Config.mma_tiles() == 1, "has_pairs_of_rows() allows one mma tile");
        column.taps.add(tile_input[H(row - tiles::first_row)], has_row, has_next,
                        [&](int n) -> accumulator* {
                            int const output_row = row - n;
                            bool const is_in_tile = output_row >= 0 && output_row < rows;
                            return is_in_tile ? &sums[output_row % live][0] : nullptr;
                        });
    }
    // The epilogue of 16 columns of an output row. The preactivation overwrites the residual.
    __device__ __forceinline__ void finish(accumulator& sum, TILE tile, P row, int mma_tile,
                                           tile_position const& position) const {
        int const first = 16 * mma_tile;
        elements residual;
        if constexpr (Problem.residual) residual.load(second_of_lane(tile, row, first));
#pragma unroll
        for (auto& two : sum.registers) channels.make_preactivation(two);
        if constexpr (Problem.preactivation) {
            sync_warp(); // all lanes have read the residual that this overwrites
            sum.template rounded<element<Problem>>().template store<Arch>(
                second_of_lane(tile, row, first));
        }
#pragma unroll
        for (int piece = 0; piece < accumulator::count; ++piece) {
            auto& two = sum.registers[piece];
            if constexpr (!to_elements::is_relu) channels.activate(two);
            if constexpr (Problem.residual) {
                channels.add_residual(two, residual.registers[piece]);
            }
            if constexpr (!same<Last, no_last_step>) {
                auto const lane = for_lane<accumulator::lane_index>(this_lane());
                Pixels const pixel(16 * (mma_tile / phases) + 8 * piece +
                                   lane.template get<Q>().get());
                last(make_coordinates(
                         unfold(position.image) + pixel.template get<N>(),
                         unfold(position.row) + row,
                         unfold(position.column) +
                             tiles::output_column(pixel.template get<Q>(), mma_tile % phases),
                         first_channel + unfold(lane.template get<fold<K, 2>>())),
                     two);
            }
        }
    }
    // Where this lane's ldmatrix and stmatrix meet 16 columns of a row of the second tensor.
    __device__ __forceinline__ auto second_of_lane(TILE tile, P row, int first) const {
        auto const lane = two_taps<element<Problem>>::row_index();
        return tiles::output_of_lane(second, fold<C, 8>(this_warp().get()),
                                     lane)[tile][row][Pixels(first)];
    }
};

} // namespace spio::conv2d::tma
