// Tiles of fprop and dgrad by TMA that are copied row by row.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. N, H, W, C are the images, rows,
// columns and channels of the input, N, P, Q, K those of the output. A tensor's subscript is a
// position, and returns a cursor: a place in the tensor. axis<D>(n) is the dimension D with n
// values. Problem (the sizes and options of a call) and Config (how blocks and warps share it) are
// known when a kernel is compiled. A cell is 16 bytes: 8 channels of a pixel. A compound index is
// one number for several indices, the last of which varies fastest.
#pragma once

#include "conv2d/tma_tiles.cuh"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/thread.cuh"

namespace spio::conv2d::tma {

// The part of a tile's rows, or of its columns, that lies inside the image: from `first` on, up to
// but not including `end`, counted in the tile.
template <index D> struct part_inside {
    D first, end;

    __device__ part_inside(D begin, int count, int size)
        : first(max(-begin.get(), 0)), end(max(min(count, size - begin.get()), first.get())) {}
    __device__ int count() const { return (end - first).get(); }
    __device__ bool contains(D number) const { return first <= number && number < end; }
};

// Copies the part of a box that lies inside the image: of each row, a piece of all its columns with
// all channels.
template <problem Problem, config Config, arch Arch> struct whole_rows {
    using tiles = block_tiles<Problem, Config, Arch>;
    static constexpr int groups = Config.groups;
    static constexpr correlation sizes = tiles::global::sizes;
    using input_piece = tensor<cell<Problem>, axis<W>(dynamic), tiles::c / 8>;
    using image_piece = tensor<cell<Problem> const, axis<W>(dynamic), tiles::c / 8>;
    using output_piece = tensor<cell<Problem>, axis<Q>(dynamic), tiles::k / 8>;
    using rows = part_inside<H>;
    using columns = part_inside<W>;

    // The part of the box that begins at a place of the input.
    template <class Place> __device__ static rows rows_of_box(Place const& place) {
        return rows(place.template get<H>(), tiles::h_of_box.size, sizes.h);
    }
    template <class Place> __device__ static columns columns_of_box(Place const& place) {
        return columns(place.template get<W>(), tiles::w.size, sizes.w);
    }

    // Writes zeros beside the image, where no copy writes, in the tile of the input that begins at
    // a row and a column. All warps of the block call it.
    template <class Tile>
    __device__ __forceinline__ static void clear_padding(Tile const& tile, H first, W column) {
        using Cell = compound_index<tiles::w, tiles::c / 8>;
        rows const inside(first, tiles::h.size, sizes.h);
        columns const copied(column, tiles::w.size, sizes.w);
        int const cells_before = groups * copied.first.get();
#pragma unroll 1
        for (H row(this_warp().get()); row < H(tiles::h.size); row += H(groups)) {
            int const copied_cells = inside.contains(row) ? groups * copied.count() : 0;
            auto const cells = tile[row];
#pragma unroll 1
            for (int cell = this_lane().get(); cell < Cell::size() - copied_cells; cell += 32) {
                *cells[Cell(cell < cells_before ? cell : cell + copied_cells)] = {};
            }
        }
    }
    // Loads the box of the input that begins at a place; `full` counts the bytes that come.
    template <class Box, class Images, class Place>
    __device__ __forceinline__ static void load(Box const& box, Images const& images,
                                                Place const& place, mbarrier<Arch>& full) {
        columns const copied = columns_of_box(place);
        W const count(copied.count());
        int const row_bytes = static_cast<int>(image_piece(nullptr, count).num_bytes());
        full.arrive_and_expect(rows_of_box(place).count() * row_bytes);
        auto const destination = box[copied.first];
        for_each_row(images, place, [&](H row, image_piece const& piece) {
            load_bulk(input_piece(destination[row].get(), count), piece, full);
        });
    }
    // Brings the box into the L2 cache.
    template <class Images, class Place>
    __device__ __forceinline__ static void prefetch(Images const& images, Place const& place) {
        for_each_row(images, place,
                     [&](H, image_piece const& piece) { prefetch_bulk<Arch>(piece); });
    }
    // Stores the box of the output that begins at a place.
    template <class Images, class Place, class Box>
    __device__ __forceinline__ static void store(Images const& images, Place const& place,
                                                 Box const& box) {
        P const first = place.template get<P>();
        P const end(min(tiles::p_of_box.size, sizes.p - first.get()));
        Q const count(min(tiles::q.size, sizes.q - place.template get<Q>().get()));
        auto const image = images[place.template get<N>()][place.template get<Q>()];
#pragma unroll 1
        for (P row(0); row < end; ++row) {
            store_bulk<Arch>(output_piece(image[first + row].get(), count),
                             output_piece(box[row].get(), count));
        }
    }

  private:
    // Calls visit(row, piece) for each row of a box that lies inside the image.
    template <class Images, class Place, class Visit>
    __device__ __forceinline__ static void for_each_row(Images const& images, Place const& place,
                                                        Visit const& visit) {
        rows const copied_rows = rows_of_box(place);
        columns const copied = columns_of_box(place);
        W const count(copied.count());
        if (count == W(0)) return;
        H const first = place.template get<H>();
        auto const image = images[place.template get<N>()][place.template get<W>() + copied.first];
#pragma unroll 1
        for (auto const row : range(copied_rows.first, copied_rows.end)) {
            visit(row, image_piece(image[first + row].get(), count));
        }
    }
};

} // namespace spio::conv2d::tma
