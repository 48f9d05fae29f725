// Ranges of the values of one dimension with a step, and in reverse.
// SPDX-License-Identifier: Apache-2.0
//
// An index is an integer type that says what it counts: a dimension such as K, or a fold of it,
// such as fold<K, 8>, which counts K in blocks of 8. A function that is deleted is an error
// message: the names of its template parameters say what is wrong.
#pragma once

#include "spio/fold.h"

namespace spio {

// The values from start to end that are Step apart. The value behind the last one need not be an
// int: values are counted from the start, without a sign.
template <index T, int Step> struct stepped_range {
    int start_value;
    int end_value;

    struct sentinel {
        unsigned start;
        unsigned length;
    };
    struct iterator {
        using value_type = T;
        using difference_type = long long;

        unsigned value;

        constexpr T operator*() const { return T(static_cast<int>(value)); }
        constexpr iterator& operator++() {
            value += Step;
            return *this;
        }
        constexpr iterator operator++(int) { return {(value += Step) - Step}; }
        friend constexpr bool operator==(iterator, iterator) = default;
        friend constexpr bool operator==(iterator i, sentinel s) {
            return i.value - s.start >= s.length;
        }
    };
    constexpr iterator begin() const { return {static_cast<unsigned>(start_value)}; }
    constexpr sentinel end() const {
        unsigned const start = static_cast<unsigned>(start_value);
        return {start, static_cast<unsigned>(max(start_value, end_value)) - start};
    }
};

// The values from the last one before end to start. An iterator holds the value before its own.
template <index T> struct reversed_range {
    int start_value;
    int end_value;

    struct sentinel {
        int value;
    };
    struct iterator {
        using value_type = T;
        using difference_type = long long;

        int value;

        constexpr T operator*() const { return T(value - 1); }
        constexpr iterator& operator++() {
            --value;
            return *this;
        }
        constexpr iterator operator++(int) { return {value--}; }
        friend constexpr bool operator==(iterator, iterator) = default;
        friend constexpr bool operator==(iterator i, sentinel s) { return i.value <= s.value; }
    };
    constexpr iterator begin() const { return {end_value}; }
    constexpr sentinel end() const { return {start_value}; }
};

//     for (auto k : range_with_step<8>(K(20)))        K(0), K(8), K(16)
template <int Step, index T>
    requires(Step > 0)
constexpr auto range_with_step(T end) {
    return stepped_range<T, Step>{0, end.value};
}
template <int Step, index T>
    requires(Step > 0)
constexpr auto range_with_step(T start, T end) {
    return stepped_range<T, Step>{start.value, end.value};
}
template <int OnlyAPositiveStep, class... Values>
    requires(OnlyAPositiveStep <= 0)
void range_with_step(Values...) = delete;
//     for (auto k : reverse_range(K(32)))     K(31), K(30), … K(0)
template <index T> constexpr auto reverse_range(T end) { return reversed_range<T>{0, end.value}; }
// From end - 1 down to start.
template <index T> constexpr auto reverse_range(T start, T end) {
    return reversed_range<T>{start.value, end.value};
}
template <integer... NotADimension>
    requires(sizeof...(NotADimension) > 0)
void reverse_range(NotADimension...) = delete;

} // namespace spio
