// Orders of tiles: each tile has one number, and neighbours in the order lie side by side.
// SPDX-License-Identifier: Apache-2.0
//
// A tile is a part of a matrix that a block computes. An order maps the number of a block to a
// tile, so that blocks that run at one time read the same rows and columns.
import spio.dims;

using spio::hilbert_order;
using spio::super_rows;
using spio::tile_number;
using spio::z_order;

constexpr int size_of(int x) { return x < 0 ? -x : x; }
// Whether every tile has one number and every number below count() that has a tile has one. The
// greatest distance, in one direction, of a tile from the one before is at most `reach`.
template <class Order> constexpr bool is_an_order(Order order, int rows, int columns, int reach) {
    bool is_met[100] = {};
    int met_tiles = 0;
    int skipped = 0;
    tile_number last = order(0, rows, columns);
    for (int number = 0; number < order.count(rows, columns); ++number) {
        tile_number const tile = order(number, rows, columns);
        if (tile.row < 0 || tile.column < 0) return false;
        if (order.number(tile, rows, columns) != number) return false;
        if (size_of(tile.row - last.row) > reach || size_of(tile.column - last.column) > reach)
            return false;
        last = tile;
        if (tile.row >= rows || tile.column >= columns) {
            ++skipped;
            continue;
        }
        bool& met = is_met[tile.row * columns + tile.column];
        if (met) return false;
        met = true;
        ++met_tiles;
    }
    return met_tiles == rows * columns && skipped < 4 * rows * columns;
}
// Of all small grids.
template <class Order> constexpr bool are_orders(Order order, int reach) {
    for (int rows = 1; rows <= 7; ++rows) {
        for (int columns = 1; columns <= 5; ++columns) {
            if (!is_an_order(order, rows, columns, reach)) return false;
        }
    }
    return true;
}
// In a band, a tile follows the one above it, or the next column begins. From the last tile of a
// band of n rows to the first of the next there are up to 2 n - 2 rows.
static_assert(are_orders(super_rows{1}, 1) && are_orders(super_rows{2}, 2) &&
              are_orders(super_rows{3}, 4) && are_orders(super_rows{4}, 6));
static_assert(super_rows{2}(6, 3, 3) == tile_number{2, 2});

// A tile of the z-order may be anywhere in the square of 8 x 8 of the one before.
static_assert(are_orders(z_order(), 7));
static_assert(z_order()(6, 4, 4) == tile_number{1, 2} && z_order()(17, 4, 8) == tile_number{0, 5});

// Every tile is a neighbour of the one before, in a matrix of several squares too.
static_assert(are_orders(hilbert_order(), 1));
constexpr bool has_neighbours() {
    for (int number = 1; number < hilbert_order().count(4, 9); ++number) {
        tile_number const a = hilbert_order()(number - 1, 4, 9);
        tile_number const b = hilbert_order()(number, 4, 9);
        if (size_of(a.row - b.row) + size_of(a.column - b.column) != 1) return false;
    }
    return true;
}
static_assert(has_neighbours());
static_assert(hilbert_order()(6, 4, 4) == tile_number{3, 1} &&
              hilbert_order()(1, 4, 4) == tile_number{0, 1});
