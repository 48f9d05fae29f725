// The tiles of a block in fprop and dgrad by TMA: their shapes and positions.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. N, H, W, C are the images, rows,
// columns and channels of the input, N, P, Q, K those of the output, R and S the rows and columns
// of the filter. axis<D>(n) is the dimension D with n values; fold<D, n>, or axis / n, counts it in
// blocks of n. A tensor is a pointer with axes, outermost first. A subscript is a position along
// some of its axes, and returns a cursor: a place in the tensor, with an address. Problem (the
// sizes and options of a call) and Config (how blocks and warps share it) are known when a kernel
// is compiled. A compound index is one number for several indices, the last of which varies
// fastest. A cell is 16 bytes: 8 channels of a pixel. A group is 8 channels. unfold() counts a fold
// in single steps. cast<D>(x) is the same number in the dimension D. push<T>() takes room for a
// tensor T from the block's shared memory, and returns it and the rest. has_static_n() says whether
// the number of images, has_static_image() whether the height and width are known when a kernel is
// compiled.
#pragma once

#include "conv2d/filter_tile.cuh"
#include "conv2d/tensors.h"
#include "conv2d/tma.h"
#include "spio/compound_index.h"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::tma {

// The number of a tile within its block, and that of a box of input rows.
struct TILE : dim {
    using dim::dim;
};
struct BOX : dim {
    using dim::dim;
};

template <problem Problem, config Config, arch Arch> struct block_tiles {
    static constexpr int groups = Config.groups;
    static constexpr int rows = Config.rows;

    using global = tensors<Problem>;
    using filter = filter_tile<Problem>;
    using filter_groups = typename filter::template of_channels<8 * groups>;
    // Positions in units of a tile: Rows(2) is the first row of the third tile.
    using Groups = fold<C, 8 * groups>;
    using Images = fold<N, Config.images>;
    using Rows = fold<P, rows>;
    using Columns = fold<Q, Config.columns>;

    static constexpr axis<N> n_of_tile{Config.images};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<H> h{Config.stored_rows(Problem)};
    static constexpr axis<H> h_of_box{Config.box_rows(Problem)};
    static constexpr int boxes = Config.boxes_of_image(Problem);
    static constexpr axis<W> w{Config.input_columns(Problem)};
    static constexpr axis<K> k{8 * groups};
    static constexpr axis<P> p{rows};
    static constexpr axis<P> p_of_box{Config.output_box_rows(Problem)};
    static constexpr int output_boxes_of_image = rows / p_of_box.size;
    static constexpr axis<Q> q{Config.columns};
    static constexpr bool copies_rows = Config.whole_rows;
    static constexpr auto input_cells = cells_of_tile<copies_rows, c, h, w>();
    static constexpr auto output_cells = cells_of_tile<copies_rows, k, p, q>();

    // TMA boxes. The input and the output of an image of a tile are one or several.
    using input_box =
        tensor<cell<Problem>, h_of_box, w, cells_of_tile<copies_rows, c, h_of_box, w>()>;
    using output_tile = tensor<cell<Problem>, p, q, output_cells>;
    using input_map = tensor_map<input_box, typename global::input>;
    using output_box =
        tensor<cell<Problem>, p_of_box, q, cells_of_tile<copies_rows, k, p_of_box, q>()>;
    using output_map = tensor_map<output_box, typename global::output>;
    // Whether a map's type and a plan describe the same box. If sizes are known only at launch,
    // this compares only the bytes of the box.
    template <class Map> static constexpr bool agrees(tensor_map_plan plan) {
        if constexpr (Problem.has_static_n()) {
            plan.fetched = Map::plan().fetched;
            return Map::plan() == plan;
        } else {
            return Map::num_bytes() == 2LL * plan.box[0] * plan.box[1] * plan.box[2];
        }
    }
    static_assert(
        copies_rows || (agrees<input_map>(input_plan(Problem, Config)) &&
                        agrees<output_map>(output_plan(Problem, Config))),
        "the tile in shared memory must be the box that the plans in conv2d/tma.h describe");
    static constexpr bool has_gaps = Config.has_gaps(Problem);
    static_assert(has_gaps || output_tile::num_bytes() <= boxes * input_box::num_bytes(),
                  "the output of a tile overwrites its input");

    // All boxes of a block. Output boxes begin where the input boxes do, unless there are gaps
    // between the inputs.
    static constexpr int pitch = Config.pitch_of_boxes(Problem);
    static constexpr int output_pitch = Config.pitch_of_output(Problem);
    static constexpr auto tile = axis<TILE>(Config.tiles_per_block).pitch(Config.images * pitch);
    static constexpr auto n = axis<N>(Config.images).pitch(pitch);
    static constexpr auto tile_of_output =
        axis<TILE>(Config.tiles_per_block).pitch(Config.images * output_pitch);
    static constexpr auto n_of_output = axis<N>(Config.images).pitch(output_pitch);
    using input_tiles = tensor<cell<Problem>, tile, n, h, w, input_cells>;
    // The same memory, as the boxes that TMA copies.
    static constexpr auto box = axis<BOX>(boxes).pitch(h_of_box.size * w.size * groups);
    using input_boxes = tensor<cell<Problem>, tile, n, box, h_of_box, w,
                               cells_of_tile<copies_rows, c, h_of_box, w>()>;
    using output_tiles = tensor<cell<Problem>, tile_of_output, n_of_output, p, q, output_cells>;
    static constexpr auto output_box_of_image =
        axis<BOX>(output_boxes_of_image).pitch(p_of_box.size * q.size * groups);
    using output_boxes = tensor<cell<Problem>, tile_of_output, n_of_output, output_box_of_image,
                                p_of_box, q, cells_of_tile<copies_rows, k, p_of_box, q>()>;
    template <class Memory> __device__ static auto push_input(Memory const& memory) {
        return memory.template push<input_tiles, box_alignment<input_box>>();
    }
    // The output overwrites the input, at `begin`, or has memory of its own, in `rest`.
    template <class Begin, class Rest>
    __device__ static auto push_output(Begin const& begin, Rest const& rest) {
        if constexpr (has_gaps) {
            return rest.template push<output_tiles, box_alignment<output_tile>>();
        } else {
            struct overlay {
                output_tiles tensor;
                Rest rest;
            };
            auto const output = begin.template push<output_tiles, box_alignment<output_tile>>();
            return overlay{output.tensor, rest};
        }
    }
    // The second tensor of each tile, if it has one.
    static constexpr bool has_second = Problem.has_second_tensor();
    static constexpr int second_pitch = has_second ? Config.pitch_of_second(Problem) : pitch;
    static constexpr auto second_tile =
        axis<TILE>(Config.tiles_per_block).pitch(Config.images * second_pitch);
    static constexpr auto second_n = axis<N>(Config.images).pitch(second_pitch);
    using second_outputs = tensor<cell<Problem>, second_tile, second_n, p, q, output_cells>;
    using second_tiles = either<Problem.has_derivative(), input_tiles, second_outputs>;
    template <class Memory> __device__ static auto push_second(Memory const& memory) {
        using box = either<Problem.has_derivative(), input_box, output_tile>;
        if constexpr (has_second) {
            return memory.template push<second_tiles, box_alignment<box>>();
        } else {
            struct nothing {
                second_tiles tensor;
                Memory rest;
            };
            return nothing{second_tiles(nullptr), memory};
        }
    }
    // The outputs of a row over all images of a tile: its columns, or with gaps between the inputs
    // its even or its odd columns, the phases.
    static constexpr correlated_axis width = columns_of(global::sizes);
    static constexpr int phases = width.spacing;
    static constexpr int pixels_of_row = Config.columns / phases;
    using Pixels = compound_index<axis<N>(Config.images), axis<Q>(pixels_of_row)>;
    // The barriers of the boxes of all tiles, and after them the barrier of the filter. A box of
    // all images of a tile has one.
    using barriers = tensor<mbarrier<Arch>, axis<BOX>(Config.tiles_per_block* boxes + 1)>;
    __device__ static BOX barrier_of(TILE tile, BOX box) { return BOX(tile.get() * boxes) + box; }
    __device__ static BOX filter_barrier() { return BOX(Config.tiles_per_block * boxes); }

    // Where a lane's ldmatrix reads the first input row of a group, and where its stmatrix writes
    // the first output row. Both stand at the output column that this lane addresses in two_taps,
    // the left operand of the product.
    template <class Lane>
    __device__ static auto input_of_lane(input_tiles const& input, fold<C, 8> group,
                                         Lane const& lane) {
        auto const pixel = lane.template get<Q>().get();
        return input[group][N(pixel / pixels_of_row)][tile_column(Q(pixel % pixels_of_row))]
                    [filter_fragments<Problem>::column_of_exchanged_tap(lane)];
    }
    // The same under the last column of taps, where a lane reads this row for the first of two
    // taps, and the next row for the second.
    template <class Lane>
    __device__ static auto input_of_rows(input_tiles const& input, fold<C, 8> group,
                                         Lane const& lane) {
        auto const pixel = lane.template get<Q>().get();
        return input[group][N(pixel / pixels_of_row)]
                    [tile_column(Q(pixel % pixels_of_row)) + W(Problem.s - 1)]
                    [H(lane.template get<D8>().get())];
    }
    // The column of the input tile that a column of the output tile reads first.
    static constexpr W tile_column(Q column) {
        return W(global::sizes.columns.stride * column.get());
    }
    // The column of the output tile of a pixel in a phase.
    static constexpr Q output_column(Q pixel, int phase) { return Q(phases * pixel.get() + phase); }
    template <class Tiles, class Lane>
    __device__ static auto output_of_lane(Tiles const& output, fold<C, 8> group, Lane const& lane) {
        auto const pixel = lane.template get<Q>().get();
        return output[cast<K>(group)][N(pixel / pixels_of_row)]
                     [output_column(Q(pixel % pixels_of_row), 0)];
    }

    // Input rows of a tile, with those that the filter reads beside it, and the first of them that
    // is in shared memory.
    static constexpr correlated_axis height = rows_of(global::sizes);
    static constexpr int input_rows = height.input_count(rows);
    static constexpr int first_row = Config.has_all_rows(Problem) ? height.pad : 0;
    // Whether row `row` of a tile's input may lie inside the image. Of a tile that covers all rows
    // of its images, it is known at compile time which rows are padding; they are skipped.
    static constexpr bool may_be_in_image(int row) {
        if (!Problem.has_static_image() || has_gaps || global::sizes.p > rows) return true;
        constexpr correlated_axis rows_of_image = height;
        return rows_of_image.is_inside(row - rows_of_image.pad);
    }

    // Where a tile is in the tensors. Tiles are numbered across the columns first, then down the
    // rows, then through the images.
    struct tile_position {
        Images image;
        Rows row;
        Columns column;
        bool exists;

        __device__ tile_position(int index, correlation const& sizes, N images) {
            int const tiles_across = divup(sizes.q, Config.columns);
            int const tiles_down = divup(sizes.p, rows);
            auto const number = static_cast<unsigned>(index);
            column = Columns(number % tiles_across);
            row = Rows(number / tiles_across % tiles_down);
            image = Images(number / tiles_across / tiles_down);
            exists = unfold(image) < images;
        }
    };
};

} // namespace spio::conv2d::tma
