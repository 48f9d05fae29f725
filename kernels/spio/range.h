// Ranges of the values of one dimension; stepped_range.h has those with a step, and in reverse.
// SPDX-License-Identifier: Apache-2.0
//
// An index is an integer type that says what it counts: a dimension such as K, or a fold of it,
// such as fold<K, 8>, which counts K in blocks of 8. A function that is deleted is an error
// message: the names of its template parameters say what is wrong.
#pragma once

#include "spio/fold.h"

namespace spio {

// The values of type T from start up to, but not including, end.
template <index T> struct index_range {
    int start_value;
    int end_value;

    struct sentinel {
        int value;
    };
    struct iterator {
        using value_type = T;
        using difference_type = long long;

        int value;

        constexpr T operator*() const { return T(value); }
        constexpr iterator& operator++() {
            ++value;
            return *this;
        }
        constexpr iterator operator++(int) { return {value++}; }
        friend constexpr bool operator==(iterator, iterator) = default;
        friend constexpr bool operator==(iterator i, sentinel s) { return i.value >= s.value; }
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

} // namespace spio
