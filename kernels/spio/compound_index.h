// Compound indices: one number that stands for several indices, such as that of a thread or block.
// SPDX-License-Identifier: Apache-2.0
//
// An index is a value of one dimension or of a fold of it. The digits of a compound index are
// indices with a bound (a size); a base is a dimension that is no fold. Axes are dimensions with a
// size, as layouts have them. A place is an index, or anything that has coordinates. numbers<A...>
// is a list of ints. A function that is deleted is an error message: the names of its template
// parameters say what is wrong. A refusal<D> in a function makes a call of it no constant
// expression, so that compilers name that function; checks_at_run_time is true in checked builds
// alone. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts and
// bound_of<T> the number below which it stays (0: none). numbers_below<n> is the list of 0 to n -
// 1.
#pragma once

#include "spio/well_formed.h"

namespace spio {

// An error message: compilers name this function where its rule is broken.
template <class Index> constexpr void an_index_counts_from_0(int offset) {
    [[maybe_unused]] refusal<Index> const numbers{offset};
}

// A number in mixed radix: the last digit varies fastest. The first digit is not reduced, so that
// an offset beyond the size is a position out of bounds, which inbounds() reports.
template <index... Digits>
    requires distinct_dimensions<Digits...> && (product_of(bound_of<Digits>...) <= 0x7fffffff)
struct linear_index : place_arithmetic {
    using bases = bases_of<Digits...>;
    template <class D>
    static constexpr bool has_dimension = (same<dimension_of<Digits>, dimension_of<D>> || ...);
    // The size of the digit that counts D; 0 if it is unbounded or absent.
    template <class D>
    static constexpr int bound =
        (0 + ... + (same<dimension_of<Digits>, dimension_of<D>> ? bound_of<Digits> : 0));

    constexpr linear_index() = default;
    template <integer N> constexpr explicit linear_index(N offset) : offset_(offset) {
        check_offset();
    }
    // From an OFFSET, the linear index: alone, or as one of several coordinates.
    template <place P>
        requires contains<bases_in<P>, OFFSET>
    constexpr explicit linear_index(P const& p)
        : offset_(coordinates_of(p).template total<OFFSET>()) {
        check_offset();
    }

    constexpr OFFSET offset() const { return offset_; }

    static constexpr int num_dims() { return sizeof...(Digits); }
    // The number of offsets, unless the first digit is open.
    static constexpr int size()
        requires((bound_of<Digits> > 0) && ...)
    {
        return (1 * ... * bound_of<Digits>);
    }
    // The size of the digit that counts D.
    template <index D>
        requires(bound<D> > 0)
    static constexpr int size() {
        return bound<D>;
    }
    template <index AbsentOrOpenDimension, class Index = linear_index>
        requires(bound<AbsentOrOpenDimension> == 0)
    static int size() = delete;
    template <located AnOpenIndex = linear_index>
        requires(!((bound_of<Digits> > 0) && ...))
    static int size() = delete;

    template <index D>
        requires has_dimension<D>
    constexpr auto get() const {
        return coordinates().template digit<D>();
    }
    template <index AbsentDimension, class FromIndex = linear_index>
        requires(!has_dimension<AbsentDimension>)
    AbsentDimension get() const = delete;

    constexpr auto coordinates() const { return coords<Digits...>(digit_of<Digits>()...); }

    // The same offset as an index whose digits count To where they counted From.
    template <class From, class To>
        requires renames<From, To, Digits...>
    constexpr auto cast() const {
        return linear_index<renamed<From, To, Digits>...>(offset_.value);
    }
    template <class OnlyABase, class ToAnotherBase, class Index = linear_index>
        requires(!renames<OnlyABase, ToAnotherBase, Digits...>)
    linear_index cast() const = delete;

    // The offsets of this index that one position gets when they are distributed round robin over
    // its dimension P.
    //     for (auto e : Tile::partition<LANE>(thread)) …    e = lane, lane + 32, …
    template <index P, located Index>
        requires(Index::template bound<P> > 0 && ((bound_of<Digits> > 0) && ...))
    static constexpr auto partition(Index const& position) {
        return strided_offsets{position.template get<P>().value, Index::template size<P>()};
    }

    template <index AbsentDimension, located Index>
        requires(!(Index::template bound<AbsentDimension> > 0))
    static linear_index partition(Index const&) = delete;

  private:
    constexpr void check_offset() const {
        if (offset_.value < 0 && (checks_at_run_time || __builtin_is_constant_evaluated())) {
            an_index_counts_from_0<linear_index>(offset_.value);
        }
    }
    template <index Digit> constexpr Digit digit_of() const {
        constexpr int number = position_of<Digit, Digits...>();
        constexpr unsigned right = product_right_of(number);
        unsigned const rest = static_cast<unsigned>(offset_.value) / right;
        Digit digit;
        digit.value = static_cast<int>(number == 0 ? rest : rest % max(bound_of<Digit>, 1));
        return digit;
    }
    // The product of the sizes of the digits that vary faster than this one.
    static consteval int product_right_of(int digit_position) {
        int const radices[] = {bound_of<Digits>..., 1};
        int product = 1;
        for (int i = digit_position + 1; i < static_cast<int>(sizeof...(Digits)); ++i)
            product *= radices[i];
        return product;
    }
    struct strided_offsets {
        int start;
        int step;
        struct sentinel {};
        struct iterator {
            int offset;
            int step;
            constexpr linear_index operator*() const { return linear_index(offset); }
            constexpr iterator& operator++() {
                offset += step;
                return *this;
            }
            friend constexpr bool operator!=(iterator i, sentinel) { return i.offset < size(); }
        };
        constexpr iterator begin() const { return {start, step}; }
        constexpr sentinel end() const { return {}; }
    };

    OFFSET offset_;
};

// The index that counts the steps of an axis.
template <auto Axis>
using digit_of_axis = typename digit_value<base_of<typename decltype(Axis)::dimension>,
                                           Axis.as_digit(), Axis.is_dynamic>::type;

// How compound_index makes a linear_index of its axes. In the usual case each makes a digit.
template <bool AreDistinct> struct index_over {
    template <auto... Axes> using type = linear_index<digit_of_axis<Axes>...>;
};
// Where two axes count the same fold, those of size 1, which are always 0, are left out.
template <> struct index_over<false> {
    template <auto... Axes> struct distinct {
        template <class> struct digits;
        template <int... N> struct digits<numbers<N...>> {
            using type =
                linear_index<typename nth<mp_list<digit_of_axis<Axes>...>,
                                          layout_table_of<Axes...>.nth_placed(N)>::type...>;
        };
    };
    template <auto... Axes>
    using type = typename distinct<Axes...>::template digits<
        numbers_below<layout_table_of<Axes...>.placed_count()>>::type;
};
// The index whose digits are the axes, the last fastest.
//     using Block = compound_index<i / 16, j / 16>;
//     a[Block(blockIdx.x)]
template <auto... Axes>
    requires no_problem<index_problem_of<Axes...>>
using compound_index =
    typename index_over<distinct_dimensions<digit_of_axis<Axes>...>>::template type<Axes...>;

} // namespace spio
