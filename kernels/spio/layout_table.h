// The digits and axes of a layout as a table of numbers, and quantities computed from them.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base dimension is floor(position / stride) mod size. A plain axis
// places one digit. A derived axis is a function: it places several, and may read digits that other
// axes place.
#pragma once

#include "spio/axis.h"
#include "spio/carry.h"

namespace spio {

// One digit. `base` is the number of its dimension among those of the layout. A digit that is not
// placed is only read.
struct digit_row : digit {
    int base;
    int axis;
    bool is_placed;
    bool is_dynamic;
};
struct axis_row {
    int size;
    bool is_dynamic;
    bool is_plain;
    long long pitch; // its stride in memory, or dense or dynamic_pitch
};

template <int MaxAxes, int MaxDigits> struct layout_table {
    axis_row axes[MaxAxes + 1] = {};
    digit_row digits[MaxDigits + 1] = {};
    int coarsest_digit[MaxDigits + 1] = {}; // for each base, the digit's number + 1; 0: none
    int axis_count = 0;
    int digit_count = 0;
    int base_count = 0;
    int dynamic_count = 0; // number of dynamic digits, and of dynamic bases
    int pitch_count = 0;   // number of axes whose pitch the tensor brings

    // Adds an axis; its digits follow: first those that it places, then those that it reads.
    constexpr void add_axis(axis_row a) {
        axes[axis_count++] = a;
        pitch_count += a.pitch == dynamic_pitch;
    }
    // Adds a digit of the last axis. What is placed gives its base a size; what is only read does
    // not.
    constexpr void add_digit(int base, digit d, bool is_placed, bool is_dynamic) {
        digits[digit_count++] = {d, base, axis_count - 1, is_placed, is_dynamic};
        if (base >= base_count) base_count = base + 1;
        dynamic_count += is_dynamic;
        int const top = coarsest(base);
        if (is_placed && (top < 0 || is_coarser(digits[digit_count - 1], digits[top]))) {
            coarsest_digit[base] = digit_count;
        }
    }

    // Whether a digit has the greater stride or, if the strides are equal, can have more values.
    static constexpr bool is_coarser(digit_row const& a, digit_row const& b) {
        if (a.stride != b.stride) return a.stride > b.stride;
        if (a.is_dynamic != b.is_dynamic) return a.is_dynamic;
        if (a.is_ring != b.is_ring) return a.is_ring;
        return a.size > b.size;
    }

    // Adds an axis that places one digit and has no function.
    constexpr void add_plain(int base, digit d, bool is_dynamic, long long pitch) {
        add_axis({d.size, is_dynamic, /*is_plain=*/true, pitch});
        add_digit(base, d, /*is_placed=*/true, is_dynamic);
    }

    constexpr bool is_plain() const {
        for (int a = 0; a < axis_count; ++a) {
            if (!axes[a].is_plain) return false;
        }
        return true;
    }
    // The number of an axis's first digit.
    constexpr int first_digit(int axis) const {
        int d = 0;
        while (digits[d].axis != axis) ++d;
        return d;
    }
    // Whether a digit is always 0: it has one value, and a coarser digit takes the rest.
    constexpr bool is_unit(int d) const {
        digit_row const& row = digits[d];
        return row.is_placed && row.size == 1 && !row.is_dynamic && d != coarsest(row.base);
    }
    // The digits that are placed, but for those that are always 0: how many, and the n-th.
    constexpr int placed_count() const {
        int count = 0;
        for (int d = 0; d < digit_count; ++d) count += digits[d].is_placed && !is_unit(d);
        return count;
    }
    constexpr int nth_placed(int n) const {
        int d = 0;
        while (!digits[d].is_placed || is_unit(d) || n-- > 0) ++d;
        return d;
    }
    // The digit that is placed for a base at a stride, or -1. Of two, it is the one that can have
    // more values.
    constexpr int find(int base, int stride) const {
        int found = -1;
        for (int d = 0; d < digit_count; ++d) {
            digit_row const& row = digits[d];
            if (!row.is_placed || row.base != base || row.stride != stride) continue;
            if (found < 0 || is_coarser(row, digits[found])) found = d;
        }
        return found;
    }
    // The coarsest digit that is placed for a base, or -1.
    constexpr int coarsest(int base) const { return coarsest_digit[base] - 1; }
    // The least stride of the digits that are placed for a base.
    constexpr int finest_stride(int base) const {
        int best = digits[coarsest(base)].stride;
        for (int d = 0; d < digit_count; ++d) {
            digit_row const& row = digits[d];
            if (row.base == base && row.is_placed && row.stride < best) best = row.stride;
        }
        return best;
    }
    // The size of a base in its own units; the greatest one if it is dynamic.
    constexpr long long extent(int base) const {
        digit const& d = digits[coarsest(base)];
        return static_cast<long long>(d.stride) * d.size;
    }
    constexpr bool is_dynamic(int base) const { return digits[coarsest(base)].is_dynamic; }
    // The number of dynamic bases before a base.
    consteval int dynamic_before(int base) const {
        int count = 0;
        for (int b = 0; b < base; ++b) count += is_dynamic(b);
        return count;
    }

    // The number of axes before an axis whose pitch the tensor brings.
    consteval int pitches_before(int axis) const {
        int count = 0;
        for (int a = 0; a < axis; ++a) count += axes[a].pitch == dynamic_pitch;
        return count;
    }

    // The number of base units after which a digit repeats; 0 for the coarsest, which does not.
    constexpr long long period(int base, digit d) const {
        digit const& top = digits[coarsest(base)];
        bool const is_top = d.stride == top.stride && d.size == top.size;
        return is_top && !top.is_ring ? 0 : static_cast<long long>(d.stride) * d.size;
    }

    // Whether a single plain axis places the whole base, whose part of an offset is then a product.
    constexpr bool is_linear(int base) const {
        int count = 0;
        for (int d = 0; d < digit_count; ++d) count += digits[d].base == base && !is_unit(d);
        digit_row const& top = digits[coarsest(base)];
        return count == 1 && axes[top.axis].is_plain && !top.is_ring;
    }

    // The distance in memory between two steps of an axis, in elements; -1 if it is dynamic.
    constexpr long long memory_stride(int axis) const {
        if (axes[axis].pitch >= 0) return axes[axis].pitch;
        if (axes[axis].pitch == dynamic_pitch) return -1;
        if (axis == axis_count - 1) return 1;
        long long const right = memory_stride(axis + 1);
        return right < 0 || axes[axis + 1].is_dynamic ? -1 : right * axes[axis + 1].size;
    }
    // The facts about an axis on which the computation of an address depends.
    struct axis_facts {
        int first_digit;
        int base;         // of that digit
        bool is_zero;     // every position has the offset 0 on this axis
        bool is_position; // the digit is the position in the base itself
        bool is_narrow;
        long long memory_stride;
    };
    constexpr axis_facts facts_of(int axis) const {
        int const first = first_digit(axis);
        digit_row const& row = digits[first];
        bool const is_zero = axes[axis].is_plain && is_unit(first);
        return {first,           row.base,
                is_zero,         axes[axis].is_plain && row.stride == 1 && is_linear(row.base),
                is_narrow(axis), memory_stride(axis)};
    }
    // The greatest memory stride of an axis, which is `right` if it has no pitch. 2^62 stands for
    // all strides that may not fit into an int.
    constexpr long long greatest_stride(int axis, long long right) const {
        if (axes[axis].pitch == dynamic_pitch) return 1LL << 62;
        return axes[axis].pitch >= 0 ? axes[axis].pitch : right;
    }
    // The greatest offsets and their ends, with dynamic sizes at their maximum: each axis adds to
    // those on its right. The end of an axis is an address to compare with.
    struct reach {
        long long offset = 0;
        long long end = 1;
        bool is_narrow = true; // an int holds both on every axis so far
    };
    constexpr reach reach_of(int axis) const {
        constexpr long long too_far = 1LL << 62;
        reach sum;
        for (int a = axis_count - 1; a >= axis; --a) {
            long long const stride = greatest_stride(a, sum.end);
            bool const is_known = stride <= too_far / axes[a].size;
            sum.end = is_known ? stride * axes[a].size : too_far;
            sum.offset = is_known ? min(sum.offset + (sum.end - stride), too_far) : too_far;
            sum.is_narrow &= sum.offset <= 0x7fffffff && sum.end <= 0x7fffffff;
        }
        return sum;
    }
    // The greatest number of elements, or 2^62 if there are more.
    constexpr long long greatest_size() const {
        constexpr long long too_many = 1LL << 62;
        long long product = 1;
        for (int a = 0; a < axis_count; ++a) {
            if (product > too_many / axes[a].size) return too_many;
            product *= axes[a].size;
        }
        return product;
    }
    // Whether an int holds all offsets on an axis, and its end.
    constexpr bool is_narrow(int axis) const {
        reach const sum = reach_of(axis);
        return sum.offset <= 0x7fffffff && sum.end <= 0x7fffffff;
    }
    constexpr bool is_narrow() const { return reach_of(0).is_narrow; }
};

} // namespace spio
