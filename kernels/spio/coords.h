// Coordinates: a list of indices of different dimensions, added and compared base by base.
// SPDX-License-Identifier: Apache-2.0
//
// An index is a value of one dimension or of a fold of it. A base is a dimension that is no fold: K
// of fold<K, 8>, which counts K in blocks of 8. A function that is deleted is an error message: the
// names of its template parameters say what is wrong. Of an index type T, such as fold<K, 8>,
// base_of<T> is the dimension that it counts and stride_of<T> the size of its steps.
#pragma once

#include "spio/place.h"

namespace spio {

// One entry of coordinates, found by its dimension.
template <class Dimension, class Index> struct entry {
    Index value;
};
// The value of an entry of coordinates; the dimension selects the base class that has it.
template <class Dimension, class Index>
constexpr Index const look_up(entry<Dimension, Index> const& e) {
    return e.value;
}
template <class Dimension, class Index> constexpr Index& look_up_in(entry<Dimension, Index>& e) {
    return e.value;
}

// An ordered list of indices, each of another dimension; several may share a base.
//     make_coordinates(I(1), K8(2)).get<K8>() == K8(2)
template <class... Ts>
    requires distinct_dimensions<Ts...>
struct coords : place_arithmetic, entry<dimension_of<Ts>, Ts>... {
    using bases = bases_of<Ts...>;
    template <index Dimension>
    static constexpr bool has_dimension = (same<dimension_of<Ts>, dimension_of<Dimension>> || ...);

    constexpr coords() = default;
    constexpr explicit coords(Ts... xs)
        requires(sizeof...(Ts) > 0)
        : entry<dimension_of<Ts>, Ts>{xs}... {}

    static constexpr int num_dims() { return sizeof...(Ts); }
    constexpr coords coordinates() const { return *this; }

    // Whether an entry of Dimension is only the rest of the value, since another entry counts the
    // same base in coarser blocks.
    template <index Dimension>
    static constexpr bool is_remainder =
        ((same_base<Ts, Dimension> && stride_of<Ts> > stride_of<Dimension>) || ...);

    // The entry of exactly this dimension.
    template <index Dimension>
        requires has_dimension<Dimension>
    constexpr auto digit() const {
        return look_up<dimension_of<Dimension>>(*this);
    }
    // The same, unless a coarser entry holds a part of the value too: total<K>() is the whole
    // value. Entries of variables can be assigned.
    template <index Dimension>
        requires has_dimension<Dimension> && (!is_remainder<Dimension>)
    constexpr decltype(auto) get() const {
        return look_up<dimension_of<Dimension>>(*this);
    }
    template <index Dimension>
        requires has_dimension<Dimension> && (!is_remainder<Dimension>)
    constexpr auto& get() & {
        return look_up_in<dimension_of<Dimension>>(*this);
    }
    template <index AbsentDimension, class FromCoordinates = coords>
        requires(!has_dimension<AbsentDimension>)
    AbsentDimension get() const = delete;
    template <index OnlyAPartOfTheDimension, class FromCoordinates = coords>
        requires has_dimension<OnlyAPartOfTheDimension> && is_remainder<OnlyAPartOfTheDimension>
    OnlyAPartOfTheDimension get() const = delete;

    // The sum of all entries of one base.
    template <class Base>
        requires contains<bases, Base>
    constexpr auto total() const {
        return total_of<Base>(digit<Ts>()...);
    }

    // One entry a base, in order of first appearance, at the finest precision that its entries
    // have.
    //     {I:2, I/8:3, J:1} becomes {I:26, J:1}
    constexpr auto normalize() const { return gather(bases(), digit<Ts>()...); }

    // The same without the entries of one base.
    template <index Base>
        requires contains<bases, Base>
    constexpr auto drop() const {
        return select(
            typename merged<either<same<base_of<Ts>, Base>, mp_list<>, mp_list<Ts>>...>::type());
    }
    template <index AbsentDimension, class FromCoordinates = coords>
        requires(!contains<bases, AbsentDimension>)
    coords drop() const = delete;

    // The same values, with each entry of base From as one of base To.
    template <class From, class To>
        requires renames<From, To, Ts...>
    constexpr auto cast() const {
        return coords<renamed<From, To, Ts>...>(rename<From, To>(digit<Ts>())...);
    }
    template <class OnlyABase, class ToAnotherBase, class Coordinates = coords>
        requires(!renames<OnlyABase, ToAnotherBase, Ts...>)
    coords cast() const = delete;

    constexpr bool all_non_negative() const { return ((digit<Ts>().value >= 0) && ...); }

    constexpr auto operator-() const { return coords<dimension_of<Ts>...>(-digit<Ts>()...); }
    template <integer N> friend constexpr auto operator*(coords const& c, N n) {
        return coords<dimension_of<Ts>...>(c.template digit<Ts>() * n...);
    }
    template <integer N> friend constexpr auto operator*(N n, coords const& c) { return c * n; }

  private:
    template <class... Us> constexpr auto select(mp_list<Us...>) const {
        return coords<Us...>(digit<Us>()...);
    }
};

template <index T> constexpr auto coordinates_of(T x) { return coords<T>(x); }

// Coordinates with one entry a base: the sum of the indices that count this base.
template <class... Bases, index... Ts> constexpr auto gather(mp_list<Bases...>, Ts... xs) {
    return coords<decltype(total_of<Bases>(xs...))...>(total_of<Bases>(xs...)...);
}

template <class... As, class... Bs>
constexpr auto sum_of(coords<As...> const& a, coords<Bs...> const& b) {
    return gather(bases_of<As..., Bs...>(), a.template digit<As>()..., b.template digit<Bs>()...);
}

template <index... Ts>
    requires distinct_dimensions<Ts...>
constexpr auto make_coordinates(Ts... xs) {
    return coords<Ts...>(xs...);
}
template <class... OnlyDimensionsEachOnce>
    requires(!distinct_dimensions<OnlyDimensionsEachOnce...>)
coords<> make_coordinates(OnlyDimensionsEachOnce...) = delete;

// Coordinates with one entry a base, which is the sum of the values of that base.
template <index... Ts> constexpr auto make_normalized_coordinates(Ts... xs) {
    return gather(bases_of<Ts...>(), xs...);
}

} // namespace spio
