// Orders of tiles: which tile of a matrix comes after which, so that neighbours share factors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/number.h"

namespace spio {

struct tile_number {
    int row, column;

    friend constexpr bool operator==(tile_number, tile_number) = default;
};

// Rows of tiles in bands of `height` rows. A band is passed column by column, so that tiles that
// are computed at the same time lie in a narrow window, whose factors the L2 cache holds. Every
// second band is passed backwards, and so begins with the columns that the last one ended with. The
// last band may have fewer rows.
//     super_rows{2} over 3 x 3:   0 2 4
//                                 1 3 5
//                                 8 7 6
struct super_rows {
    int height;

    // The numbers of the tiles of a matrix are those below this one.
    constexpr int count(int rows, int columns) const { return rows * columns; }
    // The tile of a number, in a matrix of rows x columns tiles.
    constexpr tile_number operator()(int number, int rows, int columns) const {
        int const band = number / (height * columns);
        int const first = band * height;
        int const band_rows = min(height, rows - first);
        int const inside = number - first * columns;
        int const column = inside / band_rows;
        return {first + inside - column * band_rows, turned(band, column, columns)};
    }
    // The number of a tile.
    constexpr int number(tile_number tile, int rows, int columns) const {
        int const band = tile.row / height;
        int const first = band * height;
        int const band_rows = min(height, rows - first);
        return first * columns + turned(band, tile.column, columns) * band_rows + tile.row - first;
    }

  private:
    // Every other band is passed from its last column to its first.
    static constexpr int turned(int band, int column, int columns) {
        return band % 2 == 0 ? column : columns - 1 - column;
    }
};

} // namespace spio
