// Splits and joins: two dimensions of one, and one dimension of two.
// SPDX-License-Identifier: Apache-2.0
//
// Both make a view: a tensor of the same elements under other axes. For example a split of K, of 64
// positions, into blocks of 8 has 8 blocks and 8 positions in each; a join undoes it. A layout may
// count one dimension on several axes, each of which counts a digit: floor(position / stride) mod
// size. A split must then fall between two digits, or divide one in two. `Shape` is the layout of
// the tensor, `Shape::table` its digits and axes as numbers, a pitch the distance of an axis's
// steps in memory, and a change the base class that keeps all that is not split or joined. A
// dynamic extent is known only at run time. A refusal<D> in a function makes a call of it no
// constant expression, so that compilers name that function; checks_at_run_time is true in checked
// builds alone. moved<D>(axis, stride, size, pitch) is an axis of D in place of another.
#pragma once

#include "spio/axis_changes.h"

namespace spio {

// An error message: compilers name this function where its rule is broken.
template <class Dimension>
constexpr void the_blocks_of_a_split_divide_the_extent(int extent, int n) {
    [[maybe_unused]] refusal<Dimension> const numbers{extent, n};
}

// Blocks of N positions: Outer counts the blocks, Inner the positions in one. Of an extent that
// only the run knows, what is left behind the last whole block is no part of the view.
template <class Base, class Outer, class Inner, int N> struct splitting : change {
    // Whether the tensor may be split: N lies between two digits of Base or divides one, and the
    // new names are free.
    template <class Shape> static consteval bool is_split() {
        if constexpr (change::is_plain_base<Shape, Base>() && N > 0 && !same<Outer, Inner> &&
                      change::is_free<Shape, Outer, Base> && change::is_free<Shape, Inner, Base>) {
            constexpr auto const& table = Shape::table;
            constexpr int base = Shape::template base<Base>;
            if (!table.is_dynamic(base) && table.extent(base) % N != 0) return false;
            if (table.finest_stride(base) > N) return false;
            // The strides of axes to the left must not follow from the late extent.
            int const followers =
                table.is_dynamic(base) ? table.digits[table.coarsest(base)].axis : 0;
            for (int a = 0; a < followers; ++a) {
                if (table.axes[a].pitch == dense) return false;
            }
            for (int d = 0; d < table.digit_count; ++d) {
                digit_row const& row = table.digits[d];
                if (row.base != Shape::template base<Base>) continue;
                bool const is_cut =
                    row.stride < N && (row.is_dynamic || N < 1LL * row.stride * row.size);
                if (row.stride < N ? N % row.stride != 0 : row.stride % N != 0) return false;
                if (!is_cut) continue;
                bool const is_divided = row.is_dynamic || row.size % (N / row.stride) == 0;
                if (!is_divided || table.axes[row.axis].pitch == dynamic_pitch) return false;
            }
            return true;
        } else {
            return false;
        }
    }
    template <class Shape> static constexpr bool is_possible = is_split<Shape>();

    template <class Other, class Shape> static constexpr int extent(Shape const& shape) {
        if constexpr (same<Other, Outer>) {
            int const extent = change::extent<Base>(shape);
            if (extent % N != 0 && (checks_at_run_time || __builtin_is_constant_evaluated())) {
                the_blocks_of_a_split_divide_the_extent<Base>(extent, N);
            }
            return extent / N;
        } else {
            return change::extent<Other>(shape);
        }
    }
    template <class Shape, int A, auto Axis> static consteval auto replace() {
        if constexpr (!counts<Shape, A, Base>()) {
            return unchanged<Axis>();
        } else {
            constexpr int stride = Axis.as_digit().stride;
            constexpr long long pitch = Axis.memory_stride;
            constexpr auto const& table = Shape::table;
            constexpr int base = Shape::template base<Base>;
            constexpr bool is_coarsest = table.digits[table.coarsest(base)].axis == A;
            constexpr bool is_finest =
                table.digits[table.find(base, table.finest_stride(base))].axis == A;
            if constexpr (stride == N && is_finest) {
                // An axis of single blocks: Inner has one position in each.
                return axis_list<moved<Outer>(Axis, 1, Axis.size, pitch),
                                 closed(moved<Inner>(Axis, N, 1, dense))>();
            } else if constexpr (stride >= N) {
                // An axis of blocks, or of several blocks: it counts Outer.
                return axis_list<moved<Outer>(Axis, stride / N, Axis.size, pitch)>();
            } else if constexpr (!is_coarsest && 1LL * stride * Axis.size <= N) {
                // An axis that ends within a block: it counts Inner.
                return axis_list<closed(moved<Inner>(Axis, stride, Axis.size, pitch))>();
            } else {
                // An axis that a block divides: its steps inside a block, and the blocks.
                constexpr int steps = N / stride;
                constexpr bool is_whole = Axis.size == steps && !Axis.is_dynamic;
                return axis_list<moved<Outer>(Axis, 1, max(1, Axis.size / steps),
                                              is_whole || pitch < 0 ? dense : pitch * steps),
                                 closed(moved<Inner>(Axis, stride, steps, pitch))>();
            }
        }
    }
    // The axis inside a block has a fixed size, and does not wrap around.
    static consteval axis<Inner> closed(axis<Inner> a) {
        a.is_dynamic = false;
        a.is_ring = false;
        return a;
    }
};

// One dimension of two: Outer counts blocks that are as long as Inner.
template <class Outer, class Inner, class To> struct joining : change {
    // Whether the two may be joined: the length of Inner is known, the result is an int, and To is
    // free.
    template <class Shape> static consteval bool is_joined() {
        if constexpr (change::is_plain_base<Shape, Outer>() &&
                      change::is_static_base<Shape, Inner>() && !same<Outer, Inner> &&
                      change::is_free<Shape, To, Outer, Inner>) {
            constexpr auto const& table = Shape::table;
            constexpr int outer = Shape::template base<Outer>;
            constexpr int inner = Shape::template base<Inner>;
            return !table.digits[table.coarsest(inner)].is_ring &&
                   (table.is_dynamic(outer) ||
                    table.extent(outer) <= 0x7fffffff / table.extent(inner));
        } else {
            return false;
        }
    }
    template <class Shape> static constexpr bool is_possible = is_joined<Shape>();

    template <class Shape>
    static constexpr int length =
        static_cast<int>(Shape::table.extent(Shape::template base<Inner>));
    template <class Base, class Shape> static constexpr int extent(Shape const& shape) {
        if constexpr (same<Base, To>) {
            return change::extent<Outer>(shape) * length<Shape>;
        } else {
            return change::extent<Base>(shape);
        }
    }
    template <class Shape, int A, auto Axis> static consteval auto replace() {
        if constexpr (counts<Shape, A, Outer>()) {
            constexpr long long stride = 1LL * Axis.as_digit().stride * length<Shape>;
            constexpr int size = static_cast<int>(min(1LL * Axis.size, 0x7fffffff / stride));
            return axis_list<moved<To>(Axis, static_cast<int>(stride), size, Axis.memory_stride)>();
        } else if constexpr (counts<Shape, A, Inner>()) {
            return axis_list<moved<To>(Axis, Axis.as_digit().stride, Axis.size,
                                       Axis.memory_stride)>();
        } else {
            return unchanged<Axis>();
        }
    }
};

} // namespace spio
