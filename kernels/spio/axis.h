// Axes: dimensions with a size, folded by / and %, to be placed in a layout.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. A ring is
// an axis on which positions wrap; the pitch of an axis is the distance in memory between two of
// its steps. A function that is deleted is an error message: the names of its template parameters
// say what is wrong. checks_at_run_time is true in checked builds alone. Of an index type T, such
// as fold<K, 8>, stride_of<T> is the size of its steps and bound_of<T> the number below which it
// stays (0: none).
#pragma once

#include "spio/fold.h"

namespace spio {

// One digit of a position p in a base:  floor(p / stride) mod size. The coarsest digit of a base is
// not reduced modulo its size unless it is a ring.
struct digit {
    int stride;
    int size;
    bool is_ring;
};

// A size that is passed when the tensor is made. A known maximum keeps offsets narrow.
//     axis<N>(dynamic)      axis<N>(dynamic.up_to(256))
struct dynamic_size {
    int maximum;
    template <integer N> consteval dynamic_size up_to(N n) const { return {int_from<dim>(n)}; }
};
inline constexpr dynamic_size dynamic = {0x7fffffff};

// What memory_stride holds instead of a stride. dense: the axis lies without a gap around the axes
// to its right. dynamic_pitch: the stride is passed when the tensor is made.
enum : long long { dense = -1, dynamic_pitch = -2 };

// Each of these functions is called where an axis breaks a rule. Its local variable, a refusal, is
// not allowed in a constant expression, so that the compiler names the function in its message.
template <class Dimension> constexpr void an_axis_needs_a_positive_size(int size) {
    [[maybe_unused]] refusal<Dimension> const numbers{size};
}
template <class Dimension> constexpr void the_fold_must_divide_the_axis(int size, int fold) {
    [[maybe_unused]] refusal<Dimension> const numbers{size, fold};
}
template <class Dimension> constexpr void a_ring_needs_a_size_known_now() {
    [[maybe_unused]] refusal<Dimension> const numbers{};
}
template <class Dimension> constexpr void a_function_needs_sizes_known_now() {
    [[maybe_unused]] refusal<Dimension> const numbers{};
}
template <class Dimension> constexpr void a_pitch_is_not_negative(long long pitch) {
    [[maybe_unused]] refusal<Dimension> const numbers{pitch};
}
template <class Dimension> constexpr void fold_the_axis_before_it_gets_a_pitch(long long pitch) {
    [[maybe_unused]] refusal<Dimension> const numbers{pitch};
}
template <class Dimension> constexpr void the_pitch_belongs_to_the_derived_axis(long long pitch) {
    [[maybe_unused]] refusal<Dimension> const numbers{pitch};
}

// A Dimension and its size: a value, and a template argument of layouts and compound indices. A
// Dimension whose values are bounded already, as those of K % 8 are, cannot be given a size.
//     constexpr auto k = axis<K>(32);     k / 8,  k % 8,  k / 8 % 4,  k.pitch(64),  k.ring()
template <index Dimension>
    requires(bound_of<Dimension> == 0)
struct axis {
    using dimension = Dimension;

    int stride = 1; // in units of Dimension
    int size = 0;   // in steps; of a dynamic axis, the maximum
    bool is_dynamic = false;
    bool is_ring = false;
    long long memory_stride = dense; // in elements; dense: the axes to the right lie without a gap

    // The constructors are constexpr, not consteval: NVRTC rejects a consteval constructor whose
    // argument depends on a template parameter.
    template <integer N> constexpr explicit axis(N n) : size(int_from<Dimension>(n)) {
        if (size <= 0) an_axis_needs_a_positive_size<Dimension>(size);
    }
    constexpr explicit axis(Dimension n) : axis(n.value) {}
    constexpr explicit axis(dynamic_size n) : axis(n.maximum) { is_dynamic = true; }
    template <class NotThatDimension, class Axis = axis>
        requires(!integer<NotThatDimension> && !same_base<NotThatDimension, Dimension> &&
                 !same<NotThatDimension, dynamic_size> && !same<NotThatDimension, axis>)
    explicit axis(NotThatDimension) = delete;

    // The part of the base's positions that the axis counts.
    constexpr digit as_digit() const { return {stride * stride_of<Dimension>, size, is_ring}; }
    // The same, of an axis that a derived axis (a swizzle, for example) is computed from.
    constexpr digit as_input() const {
        if (is_dynamic) a_function_needs_sizes_known_now<Dimension>();
        if (memory_stride != dense) the_pitch_belongs_to_the_derived_axis<Dimension>(memory_stride);
        return as_digit();
    }

    // The axis counted in blocks of n, and the steps within such a block: of axis<K>(32), / 8 has 4
    // blocks and % 8 has 8 steps.
    template <integer N> friend consteval axis operator/(axis a, N blocks) {
        int const n = int_from<Dimension>(blocks);
        a.check_fold(n);
        a.size = a.is_dynamic ? divup(a.size, n) : a.size / n;
        a.stride *= n;
        return a;
    }
    template <integer N> friend consteval axis operator%(axis a, N steps) {
        int const n = int_from<Dimension>(steps);
        a.check_fold(n);
        a.size = n;
        a.is_dynamic = false;
        a.is_ring = false;
        return a;
    }
    // Sets the distance in memory between two steps, in elements; the axes to the left follow from
    // it. With a pitch of 0 all steps share their elements, so that the layout is not injective.
    template <integer N> consteval axis pitch(N elements) const {
        axis a = *this;
        a.memory_stride = static_cast<long long>(elements);
        if (a.memory_stride < 0) a_pitch_is_not_negative<Dimension>(a.memory_stride);
        return a;
    }
    // The distance is passed when the tensor is made, as the leading dimension of BLAS is.
    //     tensor<float, axis<I>(dynamic).pitch(dynamic), k> a(data, I(rows), pitch<I>(1024));
    consteval axis pitch(dynamic_size) const {
        axis a = *this;
        a.memory_stride = dynamic_pitch;
        return a;
    }
    // Positions wrap at the end, as in a circular buffer that any position may subscript.
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
        if (memory_stride != dense) {
            fold_the_axis_before_it_gets_a_pitch<Dimension>(memory_stride);
        }
    }
};

// The distance between two steps of the axis that counts Dimension, in elements.
template <index Dimension> struct pitch_value {
    long long elements;
};
// The pitch of the axis that counts Index; a bound of Index has no part in it.
//     pitch<I>(1024)      pitch<fold<I, 8>>(8192), for the axis of blocks
template <index Index, integer N> constexpr pitch_value<dimension_of<Index>> pitch(N elements) {
    long long const pitch = static_cast<long long>(elements);
    if (pitch < 0 && (checks_at_run_time || __builtin_is_constant_evaluated()))
        a_pitch_is_not_negative<Index>(pitch);
    return {pitch};
}

template <class T>
concept is_plain_axis = requires { typename T::dimension; };

} // namespace spio
