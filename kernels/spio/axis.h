// Axes: dimensions with a size, folded by / and %, to be placed in a layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/fold.h"

namespace spio {

// One digit of a position p of some base:  floor(p / stride) mod size. The coarsest digit of a base
// is not reduced by its size, unless it is a ring.
struct digit {
    int stride;
    int size;
    bool is_ring;
};

// A size that is passed when the tensor is made. A known maximum keeps offsets narrow.
//     axis<N>(dynamic)      axis<N>(dynamic.up_to(256))
struct dynamic_size {
    int most;
    consteval dynamic_size up_to(int n) const { return {n}; }
};
inline constexpr dynamic_size dynamic = {0x7fffffff};

// Declared and never defined: to reach one of these ends a constant expression, and the compiler
// says its name.
template <class Dimension> void an_axis_needs_a_positive_size(int size);
template <class Dimension> void the_fold_must_divide_the_axis(int size, int fold);
template <class Dimension> void a_ring_needs_a_size_known_now();
template <class Dimension> void a_function_needs_sizes_known_now();
template <class Dimension> void fold_the_axis_before_it_gets_a_pitch();

// A Dimension and its size. It is a value, and a template argument of what it lays out.
//     constexpr auto k = axis<K>(32);     k / 8,  k % 8,  k / 8 % 4,  k.pitch(64),  k.ring()
template <index Dimension>
    requires(bound_of<Dimension> == 0)
struct axis {
    int stride = 1; // in units of Dimension
    int size = 0;   // in steps; the greatest one if it is dynamic
    bool is_dynamic = false;
    bool is_ring = false;
    long long memory_stride = -1; // in elements; -1: what lies to the right

    consteval explicit axis(int n) : size(n) {
        if (n <= 0) an_axis_needs_a_positive_size<Dimension>(n);
    }
    consteval explicit axis(Dimension n) : axis(n.value) {}
    consteval explicit axis(dynamic_size n) : axis(n.most) { is_dynamic = true; }

    constexpr digit as_digit() const { return {stride * stride_of<Dimension>, size, is_ring}; }
    constexpr digit as_input() const {
        if (is_dynamic) a_function_needs_sizes_known_now<Dimension>();
        return as_digit();
    }

    // The axis in blocks of n, and the steps within such a block.
    friend consteval axis operator/(axis a, int n) {
        a.check_fold(n);
        a.size = a.is_dynamic ? divup(a.size, n) : a.size / n;
        a.stride *= n;
        return a;
    }
    friend consteval axis operator%(axis a, int n) {
        a.check_fold(n);
        a.size = n;
        a.is_dynamic = false;
        a.is_ring = false;
        return a;
    }
    // Steps of this axis are so many elements apart in memory, and the axes to the left follow.
    consteval axis pitch(long long elements) const {
        axis a = *this;
        a.memory_stride = elements;
        return a;
    }
    // Positions wrap at the end: a buffer of a few chunks that any position may subscript.
    consteval axis ring() const {
        if (is_dynamic) a_ring_needs_a_size_known_now<Dimension>();
        axis a = *this;
        a.is_ring = true;
        return a;
    }

  private:
    constexpr void check_fold(int n) const {
        if (n <= 0 || (!is_dynamic && size % n != 0)) {
            the_fold_must_divide_the_axis<Dimension>(size, n);
        }
        if (memory_stride != -1) fold_the_axis_before_it_gets_a_pitch<Dimension>();
    }
};

// Blocks of n that cover an axis which n need not divide.
//     fold_up(axis<K>(30), 8) has 4 blocks
template <index Dimension> consteval axis<Dimension> fold_up(axis<Dimension> a, int n) {
    if (n > 0 && !a.is_dynamic) a.size = divup(a.size, n) * n;
    return a / n;
}

template <class T> inline constexpr bool is_plain_axis = false;
template <class T> inline constexpr bool is_plain_axis<T const> = is_plain_axis<T>;
template <class Dimension> inline constexpr bool is_plain_axis<axis<Dimension>> = true;

} // namespace spio
