// Ranges of the values of one dimension: forward, with a step, and in reverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/fold.h"

namespace spio {

// The values of type T from start up to, but not including, end, Step apart. If end does not lie
// in the direction of Step, the range is empty.
template <index T, int Step = 1> struct index_range {
    int start_value;
    int end_value;

    struct sentinel {
        int value;
    };
    struct iterator {
        int value;

        constexpr T operator*() const { return T(value); }
        constexpr iterator& operator++() {
            value += Step;
            return *this;
        }
        friend constexpr bool operator==(iterator, iterator) = default;
        friend constexpr bool operator!=(iterator i, sentinel s) {
            return Step > 0 ? i.value < s.value : i.value > s.value;
        }
    };
    constexpr iterator begin() const { return {start_value}; }
    constexpr sentinel end() const { return {end_value}; }
};

//     for (auto k : range(K(32)))             K(0), K(1), … K(31)
template <index T> constexpr auto range(T end) { return index_range<T>{0, end.value}; }
template <index T> constexpr auto range(T start, T end) {
    return index_range<T>{start.value, end.value};
}
template <integer... NotADimension>
    requires(sizeof...(NotADimension) > 0)
void range(NotADimension...) = delete;
//     for (auto k : range_with_step<8>(K(20)))        K(0), K(8), K(16)
template <int Step, index T>
    requires(Step > 0)
constexpr auto range_with_step(T end) {
    return index_range<T, Step>{0, end.value};
}
template <int Step, index T>
    requires(Step > 0)
constexpr auto range_with_step(T start, T end) {
    return index_range<T, Step>{start.value, end.value};
}
template <int OnlyAPositiveStep, class... Values>
    requires(OnlyAPositiveStep <= 0)
void range_with_step(Values...) = delete;
//     for (auto k : reverse_range(K(32)))     K(31), K(30), … K(0)
template <index T> constexpr auto reverse_range(T end) {
    return index_range<T, -1>{end.value - 1, -1};
}
// From end - 1 down to start.
template <index T> constexpr auto reverse_range(T start, T end) {
    return index_range<T, -1>{end.value - 1, start.value - 1};
}
template <integer... NotADimension>
    requires(sizeof...(NotADimension) > 0)
void reverse_range(NotADimension...) = delete;

} // namespace spio
