// What the standard library asks of types: hashes, structured bindings, the order by <=>.
// SPDX-License-Identifier: Apache-2.0
//
// Host code alone imports this. The algebra itself, spio.dims, includes nothing of the standard
// library, because kernels read it.
module;

#include <compare>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

export module spio.standard;

export import spio.dims;

export namespace spio {

// The N-th entry of coordinates, or digit of a compound index.
template <std::size_t N, index... Ts> constexpr auto get(coords<Ts...> const& position) {
    return position.template digit<std::tuple_element_t<N, std::tuple<Ts...>>>();
}
template <std::size_t N, index... Ts> constexpr auto get(linear_index<Ts...> const& position) {
    return get<N>(position.coordinates());
}

// The order of two values of one dimension. Coordinates of several dimensions have no total order.
template <index A, index B>
    requires same_base<A, B>
constexpr std::strong_ordering operator<=>(A a, B b) {
    return unfold(a).get() <=> unfold(b).get();
}

} // namespace spio

//     auto const [row, column] = I(2) + K(4);
template <class... Ts>
struct std::tuple_size<spio::coords<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t N, class... Ts>
struct std::tuple_element<N, spio::coords<Ts...>> : std::tuple_element<N, std::tuple<Ts...>> {};
template <class... Ts>
struct std::tuple_size<spio::linear_index<Ts...>>
    : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t N, class... Ts>
struct std::tuple_element<N, spio::linear_index<Ts...>> : std::tuple_element<N, std::tuple<Ts...>> {
};

//     std::unordered_map<K, int>      std::unordered_set<spio::coords<I, K>>
template <spio::index T> struct std::hash<T> : spio::place_hash {};
template <class... Ts> struct std::hash<spio::coords<Ts...>> : spio::place_hash {};
template <class... Ts> struct std::hash<spio::linear_index<Ts...>> : spio::place_hash {};
