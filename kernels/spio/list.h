// Lists of types and of numbers: the little that the algebra asks of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/mp11/detail/mp_list.hpp>

#include "spio/number.h"

namespace spio {

// Lists are Mp11's, so that all of Mp11 works on them. Its algorithms are not read here: their
// headers would cost a kernel that is compiled at run time more than all of the algebra.
using boost::mp11::mp_list;

template <class... Ts> constexpr int length(mp_list<Ts...>) { return sizeof...(Ts); }

// Has each type of a list for a base, once: whether one is among them is a single question.
template <class List> struct members;
template <class... Ts> struct members<mp_list<Ts...>> : type_is<Ts>... {};
template <class List, class T>
concept contains = __is_base_of(type_is<T>, members<List>);

// The first place of T in a list, or -1.
template <class T, class... Ts> constexpr int position_of() {
    int position = 0;
    bool const found = (... || (same<T, Ts> || (++position, false)));
    return found ? position : -1;
}
template <class T, class... Ts> constexpr int position_in(mp_list<Ts...>) {
    int position = 0;
    bool const found = (... || (same<T, Ts> || (++position, false)));
    return found ? position : -1;
}

template <class List, int N> struct nth;
template <class First, class... Rest, int N>
struct nth<mp_list<First, Rest...>, N> : nth<mp_list<Rest...>, N - 1> {};
template <class First, class... Rest> struct nth<mp_list<First, Rest...>, 0> : type_is<First> {};

template <bool Condition, class A, class B> struct either : type_is<A> {};
template <class A, class B> struct either<false, A, B> : type_is<B> {};

// The types of a list and those that follow it, each once, in order of first appearance.
template <class List, class... Ts> struct united : type_is<List> {};
template <class... Seen, class T, class... Rest>
struct united<mp_list<Seen...>, T, Rest...>
    : united<typename either<(same<Seen, T> || ...), mp_list<Seen...>, mp_list<Seen..., T>>::type,
             Rest...> {};
// The same of several lists.
template <class... Lists> struct merged : type_is<mp_list<>> {};
template <class List> struct merged<List> : type_is<List> {};
template <class Seen, class... Ts, class... Lists>
struct merged<Seen, mp_list<Ts...>, Lists...>
    : merged<typename united<Seen, Ts...>::type, Lists...> {};

// Some types as a list, each once, in order of first appearance. Most are different ones.
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

// 0, 1, … N - 1 as a list, to be matched by a pack.
template <int... Ns> struct numbers {};
template <int N, int... Ns> struct counting : counting<N - 1, N - 1, Ns...> {};
template <int... Ns> struct counting<0, Ns...> : type_is<numbers<Ns...>> {};
template <int N> using numbers_below = typename counting<N>::type;

} // namespace spio
