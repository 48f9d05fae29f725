// Quantities of a layout's table for which only some headers ask.
// SPDX-License-Identifier: Apache-2.0
//
// A table lists the digits and axes of a layout as numbers. A digit of a position in a base
// dimension is floor(position / stride) mod size.
#pragma once

#include "spio/layout_table.h"

namespace spio {

// The least number of base units by which a move adds a constant to the address at every position:
// whole blocks of the coarsest axis that no function distinguishes. 0: there is none.
template <int A, int D> constexpr int free_stride(layout_table<A, D> const& table, int base) {
    digit_row const& top = table.digits[table.coarsest(base)];
    if (!table.axes[top.axis].is_plain || top.is_ring) return 0;
    long long stride = top.stride;
    for (int d = 0; d < table.digit_count; ++d) {
        digit_row const& row = table.digits[d];
        if (row.base != base || table.axes[row.axis].is_plain) continue;
        long long const repeats = table.period(base, row);
        if (repeats == 0) return 0;
        stride *= repeats / gcd(static_cast<int>(repeats), static_cast<int>(stride));
        if (stride > 0x7fffffff) return 0;
    }
    return static_cast<int>(stride);
}

template <int A, int D> constexpr bool has_static_strides(layout_table<A, D> const& table) {
    for (int a = 0; a < table.axis_count; ++a) {
        if (table.memory_stride(a) < 0) return false;
    }
    return true;
}

// A number that divides the memory stride of an axis for all dynamic sizes.
template <int A, int D>
constexpr long long stride_factor(layout_table<A, D> const& table, int axis) {
    if (table.axes[axis].pitch >= 0) return table.axes[axis].pitch;
    if (axis == table.axis_count - 1 || table.axes[axis].pitch == dynamic_pitch) return 1;
    long long const right = stride_factor(table, axis + 1);
    return table.axes[axis + 1].is_dynamic ? right : right * table.axes[axis + 1].size;
}

// The plain axis whose steps are adjacent in memory, or -1.
template <int A, int D> constexpr int innermost_axis(layout_table<A, D> const& table) {
    int innermost = -1;
    for (int a = 0; a < table.axis_count; ++a) {
        if (table.axes[a].is_plain && table.axes[a].size > 1 && table.memory_stride(a) == 1) {
            innermost = a;
        }
    }
    return innermost;
}

} // namespace spio
