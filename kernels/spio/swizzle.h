// Swizzles: derived axes that spread the cells of a tile over the banks of shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// A cell is what one access takes, usually 16 bytes. An axis is a dimension with a size; a derived
// axis is a function of several. Digits are the values that it places, and those that it only
// reads. A function that is deleted is an error message: the names of its template parameters say
// what is wrong.
#pragma once

#include "spio/derived.h"

namespace spio {

// An order of cells in memory. Cells come in pairs of a cell of color 0 and one of color 1, which
// lie side by side. Memory is divided into rows of `ranks` cells; the rank of a cell is its place
// in its row. In every second row the cells of each pair are exchanged, so that `ranks` consecutive
// cells of one color lie in different ranks.
//     (Pair, Color) -> 2 * Pair + (Color ^ (Pair / (ranks / 2)) & 1)
struct checkerboard_order {
    int ranks;

    // The offset of a cell in memory, in cells; pair() and color() lead back to the cell.
    constexpr int offset(int pair, int color) const {
        return (2 * pair + color) ^ (floor_divide(pair, ranks / 2) & 1);
    }
    constexpr int pair(int offset) const { return offset >> 1; }
    constexpr int color(int offset) const { return (offset ^ floor_divide(offset, ranks)) & 1; }
    // The number of the cell, 2 * pair + color, that lies at a place.
    constexpr int cell(int place, int const*) const { return 2 * pair(place) + color(place); }
    template <index Pair, index Color> constexpr int operator()(Pair pair, Color color) const {
        return offset(pair.value, color.value);
    }
    // Tells a layout that no two cells have the same offset. `placed` are the digits of the axes.
    constexpr bool is_permutation(digit const* placed, digit const*) const {
        return placed[1].size == 2 && ranks > 0 && ranks % 2 == 0;
    }
};

// A function with a refusal<> is an error where a constant expression calls it.
// Its name is the message.
template <class Dimension> constexpr void a_checkerboard_has_two_colors(int size) {
    [[maybe_unused]] refusal<Dimension> const numbers{size};
}
template <class Dimension> constexpr void a_checkerboard_has_an_even_number_of_ranks(int ranks) {
    [[maybe_unused]] refusal<Dimension> const numbers{ranks};
}

// The derived axis that places cells in a checkerboard_order. With cells of 16 bytes, 8 ranks are
// the 128 bytes that the banks of shared memory serve at a time.
//     checkerboard(i % 16, (k % 16) / 8)
template <index Pair, index Color, integer N = int>
consteval auto checkerboard(axis<Pair> pair, axis<Color> color, N cells = 8) {
    int const ranks = int_from<Pair>(cells);
    if (color.size != 2) a_checkerboard_has_two_colors<Color>(color.size);
    if (ranks <= 0 || ranks % 2 != 0) a_checkerboard_has_an_even_number_of_ranks<Pair>(ranks);
    return derived(checkerboard_order{ranks}, pair, color);
}
template <class OnlyAnAxis, class AndAnAxis>
    requires(!is_plain_axis<OnlyAnAxis> || !is_plain_axis<AndAnAxis>)
void checkerboard(OnlyAnAxis, AndAnAxis, int = 8) = delete;

// The function of swizzle(): exchanges the columns of a row.
struct exclusive_or {
    template <index Column, index Row> constexpr int operator()(Column column, Row row) const {
        return column.value ^ row.value;
    }
    // The column that lies at a place of this row.
    constexpr int cell(int place, int const* row) const { return place ^ *row; }
    // Tells a layout that no two cells have the same offset. `inputs` are the digits that it reads.
    constexpr bool is_permutation(digit const* placed, digit const* inputs) const {
        return is_power_of_two(placed->size) && inputs->size <= placed->size;
    }
};

template <class Dimension> constexpr void a_swizzle_needs_a_power_of_two(int size) {
    [[maybe_unused]] refusal<Dimension> const numbers{size};
}
template <class Dimension>
constexpr void a_swizzle_reads_no_more_than_it_places(int size, int placed) {
    [[maybe_unused]] refusal<Dimension> const numbers{size, placed};
}

// The column exclusive-or its row, which is the swizzle of TMA and of most kernels. The axis `row`
// selects the bits of the row that take part. With cells of 8 halves, 16 bytes:
//     swizzle(k / 8, i % 8)        rows of 8 cells (128 bytes): each of 8 rows has its own order
//     swizzle(k / 8, i / 2 % 4)    rows of 4 cells (64 bytes): two neighbouring rows share an order
template <index Column, index Row> consteval auto swizzle(axis<Column> column, axis<Row> row) {
    if (!is_power_of_two(column.size)) a_swizzle_needs_a_power_of_two<Column>(column.size);
    if (row.size > column.size) {
        a_swizzle_reads_no_more_than_it_places<Row>(row.size, column.size);
    }
    return derived(exclusive_or(), column).reading(row);
}
template <class OnlyAnAxis, class AndAnAxis>
    requires(!is_plain_axis<OnlyAnAxis> || !is_plain_axis<AndAnAxis>)
void swizzle(OnlyAnAxis, AndAnAxis) = delete;

// TMA divides shared memory into lines of 128 bytes, 8 cells of 16 bytes. The column of a cell is
// exclusive-ored with the number of its line. `columns` cells make a row, and `row_size` rows make
// a block; all rows of all blocks lie in memory one after the other.
struct exclusive_or_line {
    int columns; // a power of two, at most 8
    int row_size;

    template <index Column, index Block, index Row>
    constexpr int operator()(Column column, Block block, Row row) const {
        auto const rows = static_cast<unsigned>(block.value * row_size + row.value);
        auto const period = static_cast<unsigned>(columns);
        return column.value ^ static_cast<int>(rows / (8 / period) % period);
    }
    constexpr bool is_permutation(digit const* placed, digit const*) const {
        return is_power_of_two(columns) && columns <= 8 && placed->size == columns;
    }
};

template <class Dimension> constexpr void a_row_has_at_most_eight_cells(int columns) {
    [[maybe_unused]] refusal<Dimension> const numbers{columns};
}

// The swizzle that TMA applies to a tile whose rows need not fill whole lines of 8 cells. Where
// w.size % 8 == 0, it is the same as swizzle(c, w / (8 / c.size) % c.size).
//     tensor<cell, h, w, swizzle(c / 8, h, w)>
template <index Column, index Block, index Row>
consteval auto swizzle(axis<Column> column, axis<Block> block, axis<Row> row) {
    if (!is_power_of_two(column.size)) a_swizzle_needs_a_power_of_two<Column>(column.size);
    if (column.size > 8) a_row_has_at_most_eight_cells<Column>(column.size);
    return derived(exclusive_or_line{column.size, row.size}, column).reading(block, row);
}
template <class OnlyAnAxis, class AndAnAxis, class AndOneMore>
    requires(!is_plain_axis<OnlyAnAxis> || !is_plain_axis<AndAnAxis> || !is_plain_axis<AndOneMore>)
void swizzle(OnlyAnAxis, AndAnAxis, AndOneMore) = delete;

} // namespace spio
