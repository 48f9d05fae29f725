// Lists of types and of numbers, as far as the algebra needs them.
// SPDX-License-Identifier: Apache-2.0
//
// The algebra of typed dimensions computes layouts of tensors while a kernel is compiled, with the
// dimensions as types. type_is<T> has T as its member `type`.
#pragma once

#include <boost/mp11/detail/mp_list.hpp>

#include "spio/number.h"

namespace spio {

// Lists are Mp11's, so that all of Mp11 works on them. Its algorithms are not included: their
// headers would cost a kernel that is compiled at run time more than the whole algebra does.
using boost::mp11::mp_list;

template <class... Ts> constexpr int length(mp_list<Ts...>) { return sizeof...(Ts); }

// Derives from a tag of each type in a list, so that membership is one test for a base class.
template <class List> struct members;
template <class... Ts> struct members<mp_list<Ts...>> : type_is<Ts>... {};
template <class List, class T>
concept contains = __is_base_of(type_is<T>, members<List>);

// The number of the first match, or -1. The last element does not count: callers append it, so that
// the array of an empty list is not empty.
template <int N> constexpr int first_match(bool const (&matches)[N]) {
    for (int n = 0; n < N - 1; ++n) {
        if (matches[n]) return n;
    }
    return -1;
}
// The position of the first T in a list, or -1.
template <class T, class... Ts> constexpr int position_of() {
    return first_match({same<T, Ts>..., false});
}
template <class T, class... Ts> constexpr int position_in(mp_list<Ts...>) {
    return first_match({same<T, Ts>..., false});
}

template <class List, int N> struct nth;
template <class First, class... Rest, int N>
struct nth<mp_list<First, Rest...>, N> : nth<mp_list<Rest...>, N - 1> {};
template <class First, class... Rest> struct nth<mp_list<First, Rest...>, 0> : type_is<First> {};

// A if the condition holds, or else B. However often it is used, the compiler instantiates only two
// classes.
template <bool Condition> struct selection {
    template <class A, class B> using type = A;
};
template <> struct selection<false> {
    template <class A, class B> using type = B;
};
template <bool Condition, class A, class B>
using either = typename selection<Condition>::template type<A, B>;

// The types of List and then Ts, each once, in order of first appearance.
template <class List, class... Ts> struct united : type_is<List> {};
template <class... Seen, class T, class... Rest>
struct united<mp_list<Seen...>, T, Rest...>
    : united<either<(same<Seen, T> || ...), mp_list<Seen...>, mp_list<Seen..., T>>, Rest...> {};
// The types of several lists, each once, in order of first appearance.
template <class... Lists> struct merged : type_is<mp_list<>> {};
template <class List> struct merged<List> : type_is<List> {};
template <class Seen, class... Ts, class... Lists>
struct merged<Seen, mp_list<Ts...>, Lists...>
    : merged<typename united<Seen, Ts...>::type, Lists...> {};

// Ts as a list, each once, in order of first appearance. The usual case, in which all of them
// differ, takes no recursion.
template <class T, class... Ts>
concept is_once_among = (0 + ... + same<T, Ts>) == 1;
template <bool AreDifferent> struct listed {
    template <class... Ts> using once = mp_list<Ts...>;
};
template <> struct listed<false> {
    template <class... Ts> using once = typename united<mp_list<>, Ts...>::type;
};
template <class... Ts>
using listed_once = typename listed<(is_once_among<Ts, Ts...> && ...)>::template once<Ts...>;

// The numbers 0, 1, … N - 1 as a type, from which a template deduces them as a parameter pack.
template <int... Ns> struct numbers {};
template <int N, int... Ns> struct counting : counting<N - 1, N - 1, Ns...> {};
template <int... Ns> struct counting<0, Ns...> : type_is<numbers<Ns...>> {};
template <int N> using numbers_below = typename counting<N>::type;

} // namespace spio
