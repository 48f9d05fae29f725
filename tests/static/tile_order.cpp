// Orders of tiles: each tile has one number, and neighbours in the order lie side by side.
// SPDX-License-Identifier: Apache-2.0
#include "spio/tile/tile_order.h"

import spio.dims;

using spio::super_rows;
using spio::tile_number;

constexpr int size_of(int x) { return x < 0 ? -x : x; }
// Whether the tiles of the numbers are all tiles, once each, and the order turns where a band ends.
constexpr bool is_an_order(super_rows order, int rows, int columns) {
    bool is_met[100] = {};
    for (int number = 0; number < rows * columns; ++number) {
        tile_number const tile = order(number, rows, columns);
        if (tile.row < 0 || tile.row >= rows || tile.column < 0 || tile.column >= columns)
            return false;
        bool& met = is_met[tile.row * columns + tile.column];
        if (met || order.number(tile, rows, columns) != number) return false;
        met = true;
        if (number == 0) continue;
        // From one number to the next, the column changes by one at most.
        if (size_of(tile.column - order(number - 1, rows, columns).column) > 1) return false;
    }
    return true;
}
constexpr bool are_orders() {
    for (int height = 1; height <= 4; ++height) {
        for (int rows = 1; rows <= 7; ++rows) {
            for (int columns = 1; columns <= 5; ++columns) {
                if (!is_an_order({height}, rows, columns)) return false;
            }
        }
    }
    return true;
}
static_assert(are_orders());
static_assert(super_rows{2}(6, 3, 3) == tile_number{2, 2});
