// Places base by base and in a line: minima, maxima, quotients, a total order and a hash.
// SPDX-License-Identifier: Apache-2.0
//
// A place is an index or anything that has coordinates, that is several indices. An index is a
// value of one dimension or of a fold of it. A base is a dimension that is no fold: K of fold<K,
// 8>, which counts K in blocks of 8. Of an index type T, such as fold<K, 8>, stride_of<T> is the
// size of its steps. type_is<T> has T as its member `type`.
#pragma once

#include "spio/coords.h"

namespace spio {

// The value of an index as the type that two of one base share: the coarsest that counts both, or
// the type of both with its bound.
template <index A, same_base<A> B, index T> constexpr auto in_common_type(T x) {
    if constexpr (same<A, B>) {
        return x;
    } else {
        return meet<A, B>(count<stride_of<meet<A, B>>>(x));
    }
}
// The lesser and the greater of two values of one base.
template <class A, same_base<A> B> constexpr auto min(A a, B b) {
    return b < a ? in_common_type<A, B>(b) : in_common_type<A, B>(a);
}
template <class A, same_base<A> B> constexpr auto max(A a, B b) {
    return a < b ? in_common_type<A, B>(b) : in_common_type<A, B>(a);
}

// The coordinates that Operation makes of two places in each of some bases. A base that only one
// place has passes through.
template <class Operation, class... Bases, class... As, class... Bs>
constexpr auto combined(mp_list<Bases...>, coords<As...> const& a, coords<Bs...> const& b) {
    auto const value = [&]<class Base>(type_is<Base>) {
        if constexpr (!contains<bases_of<Bs...>, Base>) {
            return a.template total<Base>();
        } else if constexpr (!contains<bases_of<As...>, Base>) {
            return b.template total<Base>();
        } else {
            return Operation::result(a.template total<Base>(), b.template total<Base>());
        }
    };
    return make_coordinates(value(type_is<Bases>())...);
}
struct lesser {
    template <index A, index B> static constexpr auto result(A a, B b) { return min(a, b); }
};
struct greater {
    template <index A, index B> static constexpr auto result(A a, B b) { return max(a, b); }
};
struct remainder {
    template <index A, index B> static constexpr auto result(A a, B b) { return a % b; }
};

// The lesser and the greater value in each dimension.
//     min(I(3) + J(5), I(4) + J(2)) == I(3) + J(2)
template <place A, place B>
    requires not_both_single<A, B> && shares_a_base<A, B>
constexpr auto min(A const& a, B const& b) {
    using bases = typename merged<bases_in<A>, bases_in<B>>::type;
    return combined<lesser>(bases(), coordinates_of(a), coordinates_of(b));
}
template <place A, place B>
    requires not_both_single<A, B> && shares_a_base<A, B>
constexpr auto max(A const& a, B const& b) {
    using bases = typename merged<bases_in<A>, bases_in<B>>::type;
    return combined<greater>(bases(), coordinates_of(a), coordinates_of(b));
}

// Each dimension divided by a number, and the remainders of the dimensions that both places have.
// Both round down, as those of single values do.
//     (I(9) + J(5)) / 2 == I(4) + J(2)        (I(9) + J(5)) % (I(4) + J(4)) == I(1) + J(1)
template <index... Ts, integer N> constexpr auto quotients(coords<Ts...> const& c, N divisor) {
    return make_coordinates(c.template digit<Ts>() / divisor...);
}
template <located A, integer N> constexpr auto operator/(A const& a, N divisor) {
    return quotients(coordinates_of(a).normalize(), divisor);
}
template <located A, place B>
    requires shares_a_base<A, B>
constexpr auto operator%(A const& a, B const& b) {
    return combined<remainder>(bases_in<A>(), coordinates_of(a), coordinates_of(b));
}

// The order of a dictionary, of places of one type: the first dimension counts most.
//     std::map<coords<I, J>, int, lexicographic>
struct lexicographic {
    template <located A> constexpr bool operator()(A const& a, A const& b) const {
        return precedes(bases_in<A>(), coordinates_of(a), coordinates_of(b));
    }
    template <index A> constexpr bool operator()(A a, A b) const { return a < b; }

  private:
    template <class... Bases, class C>
    static constexpr bool precedes(mp_list<Bases...>, C const& a, C const& b) {
        bool is_less = false;
        bool const differs = (false || ... ||
                              (is_less = a.template total<Bases>() < b.template total<Bases>(),
                               is_less || b.template total<Bases>() < a.template total<Bases>()));
        return differs && is_less;
    }
};

// Equal places of one type have equal hashes.
//     std::unordered_map<coords<I, J>, int, place_hash>
struct place_hash {
    template <place A> constexpr unsigned long operator()(A const& a) const {
        auto const position = coordinates_of(a);
        return mixed(typename decltype(position.normalize())::bases(), position);
    }

  private:
    template <class... Bases, class C>
    static constexpr unsigned long mixed(mp_list<Bases...>, C const& c) {
        // The constants of splitmix64, a generator of random numbers.
        constexpr unsigned long long start = 0x9e3779b97f4a7c15, factor = 0xbf58476d1ce4e5b9;
        unsigned long long hash = start;
        ((hash = (hash ^ static_cast<unsigned>(unfold(c.template total<Bases>()).value)) * factor,
          hash ^= hash >> 31),
         ...);
        return static_cast<unsigned long>(hash);
    }
};

} // namespace spio
