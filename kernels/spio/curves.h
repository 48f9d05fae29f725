// Space-filling curves: orders of tiles in which successive tiles lie near each other.
// SPDX-License-Identifier: Apache-2.0
//
// Tiles are the blocks of a matrix, and a tile_number is the row and the column of one. An order
// numbers tiles; range() goes through a matrix in such an order.
#pragma once

#include "spio/tile_order.h"

namespace spio {

// A curve fills squares whose side is a power of two, which lie one after the other along the
// longer side of a matrix of tiles. Numbers whose tiles lie beyond the matrix are skipped by
// range(); in both directions at least half of the squares' tiles are in the matrix.
struct square_curve {
    // How many numbers there are, also of tiles beyond the matrix.
    constexpr int count(int rows, int columns) const {
        int const bits = side_bits(rows, columns);
        int const squares = divup(max(rows, columns), 1 << bits);
        return squares << 2 * bits;
    }
    // The bits of a square's side: its side is the least power of two that is not less than the
    // shorter side of the matrix.
    static constexpr int side_bits(int rows, int columns) {
        int const shorter = min(rows, columns);
        return shorter > 1 ? log2(shorter - 1) + 1 : 0;
    }
    // The tile at x and y in a square; x runs along the longer side of the matrix.
    static constexpr tile_number joined(int square, int bits, int x, int y, bool is_tall) {
        int const distance = (square << bits) + x;
        return is_tall ? tile_number{distance, y} : tile_number{y, distance};
    }
};

// The bits of both numbers take turns, that of the column first (Morton's order).
//     z_order over 4 x 4:    0  1  4  5
//                            2  3  6  7
//                            8  9 12 13
//                           10 11 14 15
struct z_order : square_curve {
    constexpr tile_number operator()(int number, int rows, int columns) const {
        bool const is_tall = rows > columns;
        int const bits = side_bits(rows, columns);
        int row = 0;
        int column = 0;
        for (int bit = 0; bit < bits; ++bit) {
            column |= (number >> 2 * bit & 1) << bit;
            row |= (number >> (2 * bit + 1) & 1) << bit;
        }
        return joined(number >> 2 * bits, bits, is_tall ? row : column, is_tall ? column : row,
                      is_tall);
    }
    constexpr int number(tile_number tile, int rows, int columns) const {
        int const bits = side_bits(rows, columns);
        int number = (rows > columns ? tile.row : tile.column) >> bits << 2 * bits;
        for (int bit = 0; bit < bits; ++bit) {
            number |= (tile.column >> bit & 1) << 2 * bit;
            number |= (tile.row >> bit & 1) << (2 * bit + 1);
        }
        return number;
    }
};

// Each tile is a neighbour of the one before (Hilbert's order).
//     hilbert_order over 4 x 4:    0  1 14 15
//                                  3  2 13 12
//                                  4  7  8 11
//                                  5  6  9 10
struct hilbert_order : square_curve {
    constexpr tile_number operator()(int number, int rows, int columns) const {
        int const bits = side_bits(rows, columns);
        int x = 0;
        int y = 0;
        // From the smallest squares to the greatest: four curves become one.
        for (int bit = 0; bit < bits; ++bit) {
            int const quarter = number >> 2 * bit & 3;
            turn(quarter, 1 << bit, x, y);
            x += (quarter >> 1) << bit;
            y += ((quarter ^ (quarter >> 1)) & 1) << bit;
        }
        return joined(number >> 2 * bits, bits, x, y, rows > columns);
    }
    constexpr int number(tile_number tile, int rows, int columns) const {
        int const bits = side_bits(rows, columns);
        bool const is_tall = rows > columns;
        int const distance = is_tall ? tile.row : tile.column;
        int x = distance & ((1 << bits) - 1);
        int y = is_tall ? tile.column : tile.row;
        int number = distance >> bits << 2 * bits;
        for (int bit = bits; bit-- > 0;) {
            int const far_x = x >> bit & 1;
            int const quarter = 2 * far_x + (far_x ^ (y >> bit & 1));
            x &= (1 << bit) - 1;
            y &= (1 << bit) - 1;
            number |= quarter << 2 * bit;
            turn(quarter, 1 << bit, x, y);
        }
        return number;
    }

  private:
    // The first and the last quarter of a square are the curve mirrored along a diagonal.
    static constexpr void turn(int quarter, int side, int& x, int& y) {
        if (quarter == 1 || quarter == 2) return;
        int const mirrored = quarter == 3 ? side - 1 - y : y;
        y = quarter == 3 ? side - 1 - x : x;
        x = mirrored;
    }
};

} // namespace spio
