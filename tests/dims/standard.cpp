// The standard library takes dimensions and coordinates: bindings, hashes, the order by <=>.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension such as K is an integer type, K8 counts its blocks of 8, coordinates have a value for
// each of several dimensions; Thread is a compound index: one number that stands for two.
// Thread(19) is 2 * 8 + 3: row 2 and column 3.
#include <doctest/doctest.h>

#include <compare>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

import spio.standard;

namespace {

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using K8 = spio::fold<K, 8>;
using Thread = spio::compound_index<spio::axis<I>(4), spio::axis<K>(8)>;

// Bindings have the types of the entries, in their order.
constexpr bool are_entries() {
    auto const [row, block, column] = spio::make_coordinates(I(2), K8(3), K(4));
    auto const [i, k] = Thread(19);
    static_assert(std::is_same_v<decltype(row), I const> &&
                  std::is_same_v<decltype(block), K8 const>);
    static_assert(std::is_same_v<decltype(k), spio::bounded<K, 8> const>);
    return row == I(2) && block == K8(3) && column == K(4) && i == I(2) && k == K(3);
}
static_assert(are_entries());
static_assert(std::tuple_size_v<spio::coords<>> == 0 && std::tuple_size_v<Thread> == 2);

template <class A, class B>
concept has_order = requires(A a, B b) { a <=> b; };
static_assert(has_order<I, I> && has_order<K, K8> && has_order<spio::bounded<K, 8>, K>);
static_assert(!has_order<I, K> && !has_order<I, int> &&
              !has_order<spio::coords<I, K>, spio::coords<I, K>>);
static_assert(std::totally_ordered<I> && std::three_way_comparable<I, std::strong_ordering>);

constexpr bool is_ordered() {
    for (K a(-20); a < K(20); ++a) {
        for (K8 b(-3); b < K8(3); ++b) {
            int const units = 8 * b.get();
            if ((a <=> b) != (a.get() <=> units) || (b <=> a) != (units <=> a.get())) return false;
            if ((a < b) != (a.get() < units) || (a >= b) != (a.get() >= units)) return false;
        }
    }
    return true;
}
static_assert(is_ordered());

} // namespace

TEST_CASE("unordered containers take dimensions, coordinates and indices") {
    std::unordered_map<K, int> counts;
    std::unordered_set<spio::coords<I, K>> places;
    std::unordered_set<Thread> threads;
    for (int round = 0; round < 2; ++round) {
        for (auto const position : spio::range(I(9) + K(7))) {
            auto const [row, column] = position;
            ++counts[column];
            places.insert(position);
            threads.insert(Thread(row.get()));
        }
    }
    CHECK(counts.size() == 7);
    CHECK(counts[K(3)] == 18);
    CHECK(places.size() == 63);
    CHECK(threads.size() == 9);
    CHECK(std::hash<K8>()(K8(2)) == std::hash<K>()(K(16)));
}
