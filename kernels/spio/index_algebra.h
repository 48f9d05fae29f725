// The algebra of compound indices: the number of a position, products, and what an index leaves.
// SPDX-License-Identifier: Apache-2.0
//
// A compound index is one number for several digits, each a value of a dimension or of a fold of it
// below a bound, the last of which varies fastest. A base is a dimension that is no fold: K of
// fold<K, 8>, which counts K in blocks of 8. A place is anything that has coordinates.
// numbers<A...> is a list of ints. A function that is deleted is an error message: the names of its
// template parameters say what is wrong. Of an index type T, such as fold<K, 8>, base_of<T> is the
// dimension that it counts, stride_of<T> the size of its steps and bound_of<T> the number below
// which it stays (0: none). numbers_below<n> is the list of 0 to n - 1. type_is<T> has T as its
// member `type`.
#pragma once

#include "spio/tensor.h"

namespace spio {

// Whether a type is a compound index all of whose digits have a bound, so that its numbers are
// those from 0 to below size().
template <class T> inline constexpr bool is_closed_index = false;
template <index... Digits>
inline constexpr bool is_closed_index<linear_index<Digits...>> = ((bound_of<Digits> > 0) && ...);
template <class T>
concept closed_index = is_closed_index<T>;

template <class Index, class Place> inline constexpr bool has_number_in = false;
template <index... Digits, place Place>
inline constexpr bool has_number_in<linear_index<Digits...>, Place> =
    is_closed_index<linear_index<Digits...>> && (contains<bases_in<Place>, base_of<Digits>> && ...);

// The stride of the next coarser digit of an index that counts the same base, or 0.
template <index Digit, index... Digits> consteval int next_stride() {
    int next = 0;
    ((next = same_base<Digits, Digit> && stride_of<Digits> > stride_of<Digit> &&
                     (next == 0 || stride_of<Digits> < next)
                 ? stride_of<Digits>
                 : next),
     ...);
    return next;
}
// The reverse of Index(n).coordinates(): the index of a position, which needs all its dimensions.
// The first digit is not reduced; in all others a position beyond the index wraps.
//     index_at<Thread>(Thread(35).coordinates()).offset() == OFFSET(35)
template <class Index, place Place>
    requires has_number_in<Index, Place>
constexpr Index index_at(Place const& position) {
    return []<index... Digits>(linear_index<Digits...>, auto const& c) {
        constexpr bool is_non_negative = false; // positions may be negative
        int number = 0;
        bool is_first = true;
        auto const append = [&]<index Digit>(type_is<Digit>) {
            constexpr int next = next_stride<Digit, Digits...>();
            int units = count<1>(c.template total<base_of<Digit>>());
            if constexpr (next > 0) units = floor_modulo<next, is_non_negative>(units);
            int const steps = floor_divide<stride_of<Digit>, /*NonNegative=*/(next > 0)>(units);
            number = is_first ? steps
                              : number * bound_of<Digit> +
                                    floor_modulo<bound_of<Digit>, is_non_negative>(steps);
            is_first = false;
        };
        (append(type_is<Digits>()), ...);
        return linear_index<Digits...>(number);
    }(Index(), coordinates_of(position));
}
template <class Index, class LacksADimensionOfTheIndex>
    requires(!has_number_in<Index, LacksADimensionOfTheIndex>)
Index index_at(LacksADimensionOfTheIndex const&) = delete;

// One index of two: its number n stands for A(n / B::size()) + B(n % B::size()).
//     product_index<Block, Thread>
template <class A, class B> struct product_of_indices;
template <index... As, index... Bs>
struct product_of_indices<linear_index<As...>, linear_index<Bs...>>
    : type_is<linear_index<As..., Bs...>> {};
template <class A, class B> inline constexpr bool have_product = false;
template <index... As, index... Bs>
inline constexpr bool have_product<linear_index<As...>, linear_index<Bs...>> =
    ((bound_of<As> > 0) && ...) && ((bound_of<Bs> > 0) && ...) && are_distinct<As..., Bs...> &&
    product_of(bound_of<As>..., bound_of<Bs>...) <= 0x7fffffff;
template <class A, class B>
    requires have_product<A, B>
using product_index = typename product_of_indices<A, B>::type;

// The digits of a tensor that an index does not count, those of each base from coarse to fine.
struct free_digit {
    int base;
    int stride;
    int size;
};
template <int Room> struct free_digits {
    free_digit items[Room] = {};
    int count = 0;
    bool are_whole = true; // the digits of the index divide what they leave

    // Adds the digit of a base from one stride, `start`, up to another, `end`.
    constexpr void add(int base, long long start, long long end) {
        are_whole &= start <= end && end % start == 0;
        if (are_whole && end > start) {
            items[count++] = {base, static_cast<int>(start), static_cast<int>(end / start)};
        }
    }
};
template <class Layout, index... Digits> consteval auto free_digits_of() {
    constexpr int count = sizeof...(Digits);
    constexpr auto const& table = Layout::table;
    free_digits<2 * count + table.digit_count + 1> result;
    int const bases[] = {position_in<base_of<Digits>>(typename Layout::bases())..., -1};
    int const strides[] = {stride_of<Digits>..., 1};
    int const sizes[] = {bound_of<Digits>..., 1};
    for (int base = 0; base < table.base_count; ++base) {
        long long end = table.extent(base);
        // The index's coarsest digit below `end`, until there is none.
        for (int last = 0; last >= 0;) {
            last = -1;
            for (int d = 0; d < count; ++d) {
                bool const is_below = bases[d] == base && strides[d] < end;
                if (is_below && (last < 0 || strides[d] > strides[last])) last = d;
            }
            long long const start =
                last < 0 ? table.finest_stride(base) : 1LL * strides[last] * sizes[last];
            result.add(base, start, end);
            if (last >= 0) end = strides[last];
        }
    }
    return result;
}

// The compound index over all digits of a static tensor that Index does not count: together they
// reach every position once. It is the loop of a thread, where Index says what the thread has.
//     for (int n = 0; n < complement<Thread, Tile>::size(); ++n) … tile[thread][complement<…>(n)]
template <class Index, class Tensor> struct complement_of {
    static constexpr bool is_possible = false;
};
template <index... Digits, class Data, auto... Axes>
    requires(layout<Axes...>::is_static && ((bound_of<Digits> > 0) && ...))
struct complement_of<linear_index<Digits...>, tensor<Data, Axes...>> {
    using shape = layout<Axes...>;
    static constexpr auto digits = free_digits_of<shape, Digits...>();
    static constexpr bool is_possible = digits.are_whole;

    template <class> struct over;
    template <int... N> struct over<numbers<N...>> {
        template <int D>
        using digit = bounded<fold<typename nth<typename shape::bases, digits.items[D].base>::type,
                                   digits.items[D].stride>,
                              digits.items[D].size>;
        using type = linear_index<digit<N>...>;
    };
    using type = typename over<numbers_below<digits.count>>::type;
};
template <class Index, class Tensor>
    requires(complement_of<Index, Tensor>::is_possible)
using complement = typename complement_of<Index, Tensor>::type;

} // namespace spio
