// Whether axes form a layout or an index; otherwise the name of the problem.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. Each axis of a base counts a digit of its
// positions, floor(position / stride) mod size. A derived axis is a function of several digits; all
// others are plain. numbers<A...> is a list of ints. Of an index type T, such as fold<K, 8>,
// base_of<T> is the dimension that it counts. type_is<T> has T as its member `type`.
#pragma once

#include "spio/axes_table.h"

namespace spio {

// The problems: a compiler prints the name and its arguments.
struct nothing_wrong;
template <class Dimension, long long FinerEndsAt, long long CoarserStartsAt>
struct the_folds_do_not_meet;
template <class Dimension, long long Stride> struct two_axes_count_the_same_fold;
template <class Dimension> struct the_layout_reads_a_dimension_that_it_does_not_place;
template <class Dimension, long long Stride> struct only_the_outermost_fold_may_be_dynamic;
template <class Dimension, long long Stride> struct only_the_coarsest_fold_may_be_a_ring;
template <class Dimension, long long Extent> struct a_dimension_stays_below_two_to_the_31;
template <long long Size> struct an_index_stays_below_two_to_the_31;
template <class T> struct not_an_axis;
template <class T> struct not_a_plain_axis;

// The folds of a base tile it in a layout; in an index they may leave gaps, but not overlap.
enum class folds { tile, are_disjoint };

// None, and the problems of folds above in their order.
enum class flaw { none, gap, twice, reads, dynamic, ring, size };

// What is wrong with the axes of a base dimension. The numbers are: of a gap, where one fold ends
// and where the next begins; of a size, the extent; else the stride of the axis.
struct layout_problem {
    flaw kind = flaw::none;
    int base = 0; // its number in the layout
    long long first = 0;
    long long second = 0;
};

// The first flaw of a layout or an index under a law, or flaw::none.
template <int A, int D>
constexpr layout_problem find_problem(layout_table<A, D> const& table, folds law) {
    for (int base = 0; base < table.base_count; ++base) {
        int const top = table.coarsest(base);
        if (top < 0) return {flaw::reads, base};
        for (int d = 0; d < table.digit_count; ++d) {
            digit_row const& row = table.digits[d];
            if (row.base != base || !row.is_placed || d == top) continue;
            if (row.is_dynamic) return {flaw::dynamic, base, row.stride};
            if (row.is_ring) return {flaw::ring, base, row.stride};
            // The next coarser digit starts where this one ends.
            long long const end = 1LL * row.stride * row.size;
            long long next = 1LL << 62; // where the next coarser digit starts; 2^62: nowhere
            for (int e = 0; e < table.digit_count; ++e) {
                digit_row const& neighbour = table.digits[e];
                if (e == d || neighbour.base != base || !neighbour.is_placed) continue;
                bool const is_other = neighbour.stride != row.stride;
                if (!is_other && !table.is_unit(d) && !table.is_unit(e)) {
                    return {flaw::twice, base, row.stride};
                }
                // A digit that is always 0 may stand beside another of its stride.
                bool const follows = is_other ? neighbour.stride > row.stride
                                              : table.is_unit(d) && !table.is_unit(e);
                if (follows && neighbour.stride < next) next = neighbour.stride;
            }
            bool const disjoint = end <= next && next % row.stride == 0;
            if (law == folds::tile ? end != next : !disjoint) return {flaw::gap, base, end, next};
        }
        if (law == folds::are_disjoint && table.is_dynamic(base) && table.digits[top].axis != 0) {
            return {flaw::dynamic, base, table.digits[top].stride};
        }
        if (!table.is_dynamic(base) && table.extent(base) > 0x7fffffff) {
            return {flaw::size, base, table.extent(base)};
        }
    }
    return {};
}

// The problem of one axis that is not plain. derived.h tells that of a derived axis.
template <auto Axis, class T> struct problem_of_axis : type_is<not_an_axis<T>> {};
template <folds Law, auto Axis, class T> constexpr auto name_axis_problem(T) {
    if constexpr (is_plain_axis<T>) {
        return type_is<nothing_wrong>();
    } else if constexpr (Law == folds::are_disjoint) {
        return type_is<not_a_plain_axis<T>>();
    } else {
        return type_is<typename problem_of_axis<Axis, T>::type>();
    }
}
// The first problem of a single axis.
template <folds Law, auto First, auto... Rest> constexpr auto name_axis_problems() {
    using problem = decltype(name_axis_problem<Law, First>(First));
    if constexpr (sizeof...(Rest) > 0 && same<typename problem::type, nothing_wrong>) {
        return name_axis_problems<Law, Rest...>();
    } else {
        return problem();
    }
}

// The problem that the folds of several axes have together, by its name.
template <class Bases, layout_problem Problem> constexpr auto name_flaw() {
    if constexpr (Problem.kind == flaw::none) {
        return type_is<nothing_wrong>();
    } else {
        using base = typename nth<Bases, Problem.base>::type;
        if constexpr (Problem.kind == flaw::gap) {
            return type_is<the_folds_do_not_meet<base, Problem.first, Problem.second>>();
        } else if constexpr (Problem.kind == flaw::twice) {
            return type_is<two_axes_count_the_same_fold<base, Problem.first>>();
        } else if constexpr (Problem.kind == flaw::reads) {
            return type_is<the_layout_reads_a_dimension_that_it_does_not_place<base>>();
        } else if constexpr (Problem.kind == flaw::dynamic) {
            return type_is<only_the_outermost_fold_may_be_dynamic<base, Problem.first>>();
        } else if constexpr (Problem.kind == flaw::ring) {
            return type_is<only_the_coarsest_fold_may_be_a_ring<base, Problem.first>>();
        } else {
            return type_is<a_dimension_stays_below_two_to_the_31<base, Problem.first>>();
        }
    }
}

// The first problem of some axes, as a type. Plain axes have none of their own.
template <folds Law, auto... Axes> constexpr auto name_problem() {
    using problem = decltype(name_axis_problems<Law, Axes...>());
    if constexpr (same<typename problem::type, nothing_wrong>) {
        return name_flaw<layout_bases<Axes...>, find_problem(layout_table_of<Axes...>, Law)>();
    } else {
        return problem();
    }
}
// Whether all axes are plain and have no problem together. It then needs no name.
template <folds Law, auto... Axes>
concept is_sound =
    are_plain_axes<Axes...> && find_problem(layout_table_of<Axes...>, Law).kind == flaw::none;
template <bool IsSound> struct named_problem {
    template <folds Law, auto... Axes> using type = nothing_wrong;
};
template <> struct named_problem<false> {
    template <folds Law, auto... Axes>
    using type = typename decltype(name_problem<Law, Axes...>())::type;
};
template <folds Law, auto... Axes>
using problem_under = typename named_problem<is_sound<Law, Axes...>>::template type<Law, Axes...>;
template <auto... Axes> using layout_problem_of = problem_under<folds::tile, Axes...>;

// Whether each base has a single fold of static size: then there cannot be a problem, and an index
// needs no table of its axes.
template <auto... Axes>
concept folds_no_base =
    are_distinct<base_of<typename decltype(Axes)::dimension>...> &&
    ((!Axes.is_dynamic && 1LL * Axes.as_digit().stride * Axes.size <= 0x7fffffff) && ...);
template <auto... Axes> constexpr auto name_index_fold_problem() {
    if constexpr (folds_no_base<Axes...>) {
        return type_is<nothing_wrong>();
    } else {
        return type_is<problem_under<folds::are_disjoint, Axes...>>();
    }
}
template <auto... Axes> constexpr auto name_index_problem() {
    using problem = decltype(name_index_fold_problem<Axes...>());
    if constexpr (same<typename problem::type, nothing_wrong>) {
        constexpr long long size = product_of((Axes.is_dynamic ? 0 : Axes.size)...);
        if constexpr (size > 0x7fffffff) {
            return type_is<an_index_stays_below_two_to_the_31<size>>();
        } else {
            return problem();
        }
    } else {
        return problem();
    }
}
template <auto... Axes>
using index_problem_of = typename decltype(name_index_problem<Axes...>())::type;

template <class Problem>
concept no_problem = same<Problem, nothing_wrong>;

} // namespace spio
