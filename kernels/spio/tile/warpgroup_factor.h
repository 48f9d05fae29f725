// A tile in shared memory as a factor of a warpgroup's product: how wgmma reads its layout.
// SPDX-License-Identifier: Apache-2.0
//
// An axis counts a part (digit) of a position in a dimension: floor(position / stride) mod size. A
// base is a dimension, and a table has the digits and axes of a layout as numbers. A plain axis is
// no function, such as a swizzle, of several digits.
#pragma once

#include "spio/swizzle.h"
#include "spio/tensor.h"
#include "spio/tile/tensor_map.h"

namespace spio {

// Whether a swizzle by exclusive-or is the last axis of a layout.
template <auto... Axes>
inline constexpr bool ends_in_swizzle<layout<Axes...>> = ends_in_swizzle<tensor<int, Axes...>>;

// A tile is in cells of 8 elements, 16 bytes each, in lines of 2, 4 or 8 cells that are swizzled as
// TMA does. With c cells in a line, the lines go along the dimension that the product sums over, or
// along the other one, in which case the factor is transposed:
//     tensor<cell, m, swizzle(k / 8, m / (8 / c) % c)>                              k is 8 c
//     tensor<cell, m / (8 * c), k, swizzle(m % (8 * c) / 8, k / (8 / c) % c)>
// Axes to the left, such as the stage of a ring, make no difference. Outer is the dimension of the
// factor that the product keeps, here M.
template <class Layout, base_dimension Outer> struct warpgroup_factor {
    static constexpr auto const& table = Layout::table;
    static constexpr int last = table.axis_count - 1;
    static constexpr int outer = Layout::template base<Outer>;
    static constexpr digit_row column = table.digits[table.first_digit(last)];
    static constexpr int line_bytes = 16 * column.size;
    static constexpr bool is_transposed = column.base == outer;

    // The digit of the axis before the last, which counts lines.
    static constexpr digit_row row() { return table.digits[table.first_digit(last - 1)]; }
    // Whether the lines are swizzled by their number, and lie one after the other.
    static constexpr bool has_lines() {
        if (last < 1 || outer < 0 || !ends_in_swizzle<Layout>) return false;
        digit_row const& source =
            table.digits[table.first_digit(last) + 1]; // that the swizzle reads
        bool const is_line = column.size == 2 || column.size == 4 || column.size == 8;
        return is_line && column.stride == 8 && row().stride == 1 && row().size % 8 == 0 &&
               source.base == row().base && source.stride == 8 / column.size &&
               source.size == column.size && column.base != row().base &&
               (is_transposed || row().base == outer) && table.axes[last - 1].is_plain &&
               table.memory_stride(last - 1) == column.size;
    }
    // The plain axis that counts a dimension in such steps, or -1.
    static constexpr int axis_of(int base, int stride) {
        for (int a = 0; a < last; ++a) {
            digit_row const& digit = table.digits[table.first_digit(a)];
            if (table.axes[a].is_plain && digit.base == base && digit.stride == stride) return a;
        }
        return -1;
    }
    // The dimension that the product sums over, and its size in the tile.
    static constexpr int summed() { return is_transposed ? row().base : column.base; }
    static constexpr int depth() { return static_cast<int>(table.extent(summed())); }
    static constexpr int outer_size() { return static_cast<int>(table.extent(outer)); }

    // Whether one distance in memory leads from each group of 8 along the outer dimension to the
    // next (of a line, if the factor is transposed), and one axis has all of the summed dimension.
    static constexpr bool is_regular() {
        if (!has_lines()) return false;
        if (is_transposed) {
            bool const is_single_line = outer_size() == 8 * column.size;
            return depth() == row().size &&
                   (is_single_line || outer_size() == 8 * column.size * chunk_count());
        }
        bool is_linear = depth() == 8 * column.size;
        for (int a = 0; a < last; ++a) {
            digit_row const& digit = table.digits[table.first_digit(a)];
            if (digit.base != outer) continue;
            is_linear = is_linear && table.axes[a].is_plain &&
                        table.memory_stride(a) == 1LL * digit.stride * column.size;
        }
        return is_linear;
    }
    // The number of chunks along the outer dimension, each as wide as a line; 0: no axis counts
    // them.
    static constexpr int chunk_count() {
        int count = 0;
        for (int a = 0; a < last; ++a) {
            if (a == axis_of(outer, 8 * column.size)) count = table.axes[a].size;
        }
        return count;
    }
    static constexpr bool is_possible = is_regular() && depth() % 16 == 0; // an instruction sums 16

    // The bytes between neighbours along the outer dimension of chunks as wide as a line.
    static constexpr int leading_bytes() {
        int const chunks = is_transposed ? axis_of(outer, 8 * column.size) : -1;
        return chunks < 0 ? 16 : 16 * static_cast<int>(table.memory_stride(chunks));
    }
    // The bytes between the parts of depth 16 that one instruction multiplies.
    static constexpr int step_bytes() { return is_transposed ? 16 * line_bytes : 32; }
    // The bytes between blocks of 64 along the outer dimension: of whole lines, or of whole chunks.
    static constexpr int block_bytes() {
        return is_transposed ? 8 / column.size * leading_bytes() : 64 * line_bytes;
    }

    // The matrix descriptor, in which the address of the tile is missing: the distance of chunks,
    // the distance of groups of 8 lines, and the swizzle.
    static constexpr unsigned long long descriptor() {
        // PTX's codes for swizzles of 128, 64 and 32 bytes.
        unsigned long long const swizzle = column.size == 8 ? 1 : column.size == 4 ? 2 : 3;
        return static_cast<unsigned long long>(leading_bytes() / 16) << 16 |
               static_cast<unsigned long long>(8 * line_bytes / 16) << 32 | swizzle << 62;
    }
};

template <class Layout, class Outer>
concept read_by_warpgroups = warpgroup_factor<Layout, Outer>::is_possible;

// Whether two tiles agree on the dimension that the product sums over.
template <class LayoutA, class I, class LayoutB, class J>
inline constexpr bool same_summed_dimension = [] {
    if constexpr (read_by_warpgroups<LayoutA, I> && read_by_warpgroups<LayoutB, J>) {
        using a = warpgroup_factor<LayoutA, I>;
        using b = warpgroup_factor<LayoutB, J>;
        return same<typename nth<typename LayoutA::bases, a::summed()>::type,
                    typename nth<typename LayoutB::bases, b::summed()>::type> &&
               a::depth() == b::depth();
    } else {
        return false;
    }
}();

} // namespace spio
