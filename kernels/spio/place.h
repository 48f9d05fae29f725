// Places: what has coordinates, and the arithmetic of places, base by base.
// SPDX-License-Identifier: Apache-2.0
//
// An index is a value of one dimension or of a fold of it. A base is a dimension that is no fold: K
// of fold<K, 8>, which counts K in blocks of 8. Coordinates are several indices of different
// dimensions. A function that is deleted is an error message: the names of its template parameters
// say what is wrong. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it
// counts. type_is<T> has T as its member `type`.
#pragma once

#include "spio/fold.h"
#include "spio/list.h"

namespace spio {

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

// The result of a < b where both are variables of one type that has several bases: a condition, but
// no bool, because a partial order sorts nothing. Containers take `lexicographic`.
//     if (a < b) …         bool(a < b)         std::map<coords<I, J>, int, lexicographic>
struct less_in_every_dimension {
    bool holds;
    constexpr explicit operator bool() const { return holds; }
};
template <class T>
concept partially_ordered = located<T> && (length(bases_in<T>()) > 1);

// Its friends are the arithmetic of places. Addition sums per base; bases that only one side has
// pass through. Comparison is a partial order: a < b says that it holds in every shared base.
struct place_arithmetic {
    template <class A, not_both_single<A> B>
    friend constexpr auto operator+(A const& a, B const& b) {
        return sum_of(coordinates_of(a), coordinates_of(b));
    }
    template <class A, not_both_single<A> B>
    friend constexpr auto operator-(A const& a, B const& b) {
        return sum_of(coordinates_of(a), -coordinates_of(b));
    }
    template <class A, not_both_single<A> B>
        requires shares_a_base<A, B>
    friend constexpr bool operator==(A const& a, B const& b) {
        return wherever_shared<equal>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, not_both_single<A> B>
        requires shares_a_base<A, B>
    friend constexpr bool operator<(A const& a, B const& b) {
        return wherever_shared<less>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, not_both_single<A> B>
        requires shares_a_base<A, B>
    friend constexpr bool operator<=(A const& a, B const& b) {
        return wherever_shared<less_or_equal>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <class A, not_both_single<A> B>
        requires shares_a_base<A, B>
    friend constexpr bool operator>(A const& a, B const& b) {
        return wherever_shared<less>(bases_in<B>(), coordinates_of(b), coordinates_of(a));
    }
    template <class A, not_both_single<A> B>
        requires shares_a_base<A, B>
    friend constexpr bool operator>=(A const& a, B const& b) {
        return b <= a;
    }
    // Of two variables of one type, which std::map and std::sort compare.
    template <partially_ordered A>
    friend constexpr less_in_every_dimension operator<(A const& a, A const& b) {
        return {wherever_shared<less>(bases_in<A>(), coordinates_of(a), coordinates_of(b))};
    }
    template <partially_ordered A> friend constexpr bool operator<(A const& a, A const&& b) {
        return wherever_shared<less>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <partially_ordered A>
    friend constexpr less_in_every_dimension operator>(A const& a, A const& b) {
        return {wherever_shared<less>(bases_in<A>(), coordinates_of(b), coordinates_of(a))};
    }
    template <partially_ordered A> friend constexpr bool operator>(A const& a, A const&& b) {
        return wherever_shared<less>(bases_in<A>(), coordinates_of(b), coordinates_of(a));
    }

    template <class Place, not_both_single<Place> NoDimensionOfIt>
        requires(!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator==(Place const&, NoDimensionOfIt const&) = delete;
    // For <, >, <= and >=.
    template <class Place, not_both_single<Place> NoDimensionOfIt>
        requires(!shares_a_base<Place, NoDimensionOfIt>)
    friend bool operator<=>(Place const&, NoDimensionOfIt const&) = delete;
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

} // namespace spio
