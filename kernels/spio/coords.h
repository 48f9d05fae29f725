// Coordinates: a list of indices of different dimensions, added and compared base by base.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/fold.h"
#include "spio/list.h"

namespace spio {

// One entry of coordinates, found by its dimension.
template <class Dimension, class Index> struct entry {
    Index value;
};
template <class Dimension, class Index>
constexpr Index const look_up(entry<Dimension, Index> const& e) {
    return e.value;
}
template <class Dimension, class Index> constexpr Index& look_up_in(entry<Dimension, Index>& e) {
    return e.value;
}

// The bases of some indices (K of fold<K, 8>), each once, in order of first appearance.
template <class... Indices> using bases_of = listed_once<base_of<Indices>...>;

template <class... Indices>
concept are_distinct = (is_once_among<dimension_of<Indices>, dimension_of<Indices>...> && ...);
template <class... Ts>
concept distinct_dimensions = (index<Ts> && ...) && are_distinct<Ts...>;

// Anything that has coordinates and is not a single index: coordinates, a compound index, a lane's
// part of a fragment. A place is one of these or a single index.
template <class T>
concept located = requires(T const& x) { typename decltype(x.coordinates())::bases; };
template <class T>
concept place = index<T> || located<T>;

template <located T> constexpr auto coordinates_of(T const& x) { return x.coordinates(); }
template <class T> T const& declval();

template <place T>
struct bases_of_place : type_is<typename decltype(declval<T>().coordinates())::bases> {};
template <index T> struct bases_of_place<T> : type_is<mp_list<base_of<T>>> {};
template <place T> using bases_in = typename bases_of_place<T>::type;

// An index whose base is in a list.
template <class T, class Bases>
concept index_among = index<T> && contains<Bases, base_of<T>>;
template <class ListA, class ListB> inline constexpr bool meets = false;
template <class... A, class ListB>
inline constexpr bool meets<mp_list<A...>, ListB> = (contains<ListB, A> || ...);
// A place that shares a base with Bases.
template <class T, class Bases>
concept place_among = index_among<T, Bases> || (located<T> && meets<bases_in<T>, Bases>);

// Two places compare in the bases that both have; there must be one.
template <class A, class B>
concept shares_a_base = place<A> && place<B> && meets<bases_in<A>, bases_in<B>>;

// Two places but not two indices, whose arithmetic is that of dim.
template <class A, class B>
concept not_both_single = place<A> && place<B> && (located<A> || located<B>);

// Whether all Ts still count different dimensions when the base From becomes the base To.
template <class From, class To, class... Ts>
concept renames =
    base_dimension<From> && base_dimension<To> && distinct_dimensions<renamed<From, To, Ts>...>;

// The sum of the values whose base is Base, of which there is at least one.
template <class Base, index First, index... Rest> constexpr auto total_of(First x, Rest... rest) {
    if constexpr (!same<base_of<First>, Base>) {
        return total_of<Base>(rest...);
    } else if constexpr ((same<base_of<Rest>, Base> || ...)) {
        return x + total_of<Base>(rest...);
    } else {
        return x;
    }
}

// Coordinates with one entry a base: the sum of the values of that base.
template <class... Bases, index... Ts> constexpr auto gather(mp_list<Bases...>, Ts... xs);

// Whether Relation holds in every base that two places share.
template <class Relation, class... Bases, class A, class B>
constexpr bool wherever_shared(mp_list<Bases...>, A const& a, B const& b) {
    auto const holds = [&]<class Base>(type_is<Base>) {
        if constexpr (contains<typename B::bases, Base>) {
            return Relation::holds(a.template total<Base>(), b.template total<Base>());
        } else {
            return true;
        }
    };
    return (... & holds(type_is<Bases>()));
}

struct equal {
    template <index A, index B> static constexpr bool holds(A a, B b) { return a == b; }
};
struct less {
    template <index A, index B> static constexpr bool holds(A a, B b) { return a < b; }
};
struct less_or_equal {
    template <index A, index B> static constexpr bool holds(A a, B b) { return a <= b; }
};

// Its friends are the arithmetic of places. Addition sums per base; bases that only one side has
// pass through. Comparison is a partial order: a < b says that it holds in every shared base.
struct place_arithmetic {
    template <class A, class B>
        requires not_both_single<A, B>
    friend constexpr auto operator+(A const& a, B const& b) {
        return sum_of(coordinates_of(a), coordinates_of(b));
    }
    template <class A, class B>
        requires not_both_single<A, B>
    friend constexpr auto operator-(A const& a, B const& b) {
        return sum_of(coordinates_of(a), -coordinates_of(b));
    }
    template <class A, class B>
        requires not_both_single<A, B> && shares_a_base<A, B>
    friend constexpr bool operator==(A const& a, B const& b) {
        return wherever_shared<equal>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, class B>
        requires not_both_single<A, B> && shares_a_base<A, B>
    friend constexpr bool operator<(A const& a, B const& b) {
        return wherever_shared<less>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, class B>
        requires not_both_single<A, B> && shares_a_base<A, B>
    friend constexpr bool operator<=(A const& a, B const& b) {
        return wherever_shared<less_or_equal>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, class B>
        requires not_both_single<A, B> && shares_a_base<A, B>
    friend constexpr bool operator>(A const& a, B const& b) {
        return b < a;
    }
    template <class A, class B>
        requires not_both_single<A, B> && shares_a_base<A, B>
    friend constexpr bool operator>=(A const& a, B const& b) {
        return b <= a;
    }

    // Deleted: the names of the template parameters are the compiler's error message.
    template <class Place, class NoDimensionOfIt>
        requires not_both_single<Place, NoDimensionOfIt> && (!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator==(Place const&, NoDimensionOfIt const&) = delete;
    template <class Place, class NoDimensionOfIt>
        requires not_both_single<Place, NoDimensionOfIt> && (!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator<(Place const&, NoDimensionOfIt const&) = delete;
    template <class Place, class NoDimensionOfIt>
        requires not_both_single<Place, NoDimensionOfIt> && (!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator<=(Place const&, NoDimensionOfIt const&) = delete;
    template <class Place, class NoDimensionOfIt>
        requires not_both_single<Place, NoDimensionOfIt> && (!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator>(Place const&, NoDimensionOfIt const&) = delete;
    template <class Place, class NoDimensionOfIt>
        requires not_both_single<Place, NoDimensionOfIt> && (!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator>=(Place const&, NoDimensionOfIt const&) = delete;
    // In place, where the sum is of the same type.
    template <located A, place B>
        requires same<decltype(declval<A>() + declval<B>()), A>
    friend constexpr A& operator+=(A& a, B const& b) {
        return a = a + b;
    }
    template <located A, place B>
        requires same<decltype(declval<A>() - declval<B>()), A>
    friend constexpr A& operator-=(A& a, B const& b) {
        return a = a - b;
    }

    template <located Place, integer NotADimension>
    friend Place operator+(Place const&, NotADimension) = delete;
    template <located Place, integer NotADimension>
    friend Place operator-(Place const&, NotADimension) = delete;
};

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
            typename merged<
                typename either<same<base_of<Ts>, Base>, mp_list<>, mp_list<Ts>>::type...>::type());
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
