// Iteration over tensors: each element is visited once, and tensors are copied by position.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. Laws are those of
// docs/algebra.md. A ring is an axis around which positions wrap.
// Names in parentheses are rows of the conformance list in tests/house: what the algebra must do.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <unordered_map>
#include <vector>

import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::tensor;
constexpr auto i = axis<I>(16);
constexpr auto j = axis<J>(32);
constexpr auto k = axis<K>(64);

TEST_CASE("a loop over positions reaches each element, the last axis fastest "
          "(CoordinatesRange.apply_to_tensor)") {
    int data[6] = {};
    tensor<int, axis<I>(2), axis<J>(3)> const t(data);
    int n = 0;
    for (auto x : range(t)) *t[x] = n++;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 3; ++b) CHECK(*t[I(a)][J(b)] == a * 3 + b);
    }
}

TEST_CASE("a loop over positions copies between layouts (CoordinatesRange.copy_between_tensors)") {
    using From = tensor<int, k / 8, i, k % 8>;
    using To = tensor<int, i.pitch(70), spio::swizzle(k / 8, i % 8), k % 8>;
    std::vector<int> source_data(From::storage_size());
    std::vector<int> target_data(To::storage_size(), -1);
    From const source(source_data.data());
    To const target(target_data.data());
    int n = 0;
    for (auto x : range(source)) *source[x] = n++;
    for (auto x : range(target)) *target[x] = *source[x];
    bool equal = true;
    for (auto x : range(source)) equal &= *source[x] == *target[x];
    CHECK(equal);
    CHECK(n == 1024);
}

TEST_CASE("a loop over positions sums all elements (CoordinatesRange.accumulate_values)") {
    int data[9];
    tensor<int, axis<I>(3), axis<J>(3)> const t(data);
    t.fill(1);
    int sum = 0;
    for (auto x : range(t)) sum += *t[x];
    CHECK(sum == 9);
}

// Every element is visited once: law 9 of docs/algebra.md, by counting visits.
template <class Tensor> void visits_every_element_once(Tensor const& t) {
    std::vector<int> visits(t.storage_size());
    int count = 0;
    for (auto x : range(t)) {
        REQUIRE(t[x].inbounds());
        ++visits.at(t[x].offset());
        ++count;
    }
    CHECK(count == t.size());
    int touched = 0;
    for (int n : visits) {
        CHECK(n <= 1);
        touched += n;
    }
    CHECK(touched == t.size());
}

TEST_CASE("law 9: range(tensor) visits every element once, whatever the pitches") {
    visits_every_element_once(tensor<int, axis<I>(8).pitch(64), j>());
    visits_every_element_once(tensor<int, i.pitch(1), j.pitch(16)>());
    visits_every_element_once(tensor<int, k % 8, i, k / 8>());
    visits_every_element_once(tensor<int, k / 16, spio::checkerboard(i, k / 8 % 2), k % 8>());
    visits_every_element_once(tensor<int, axis<I>(1).pitch(100), j.pitch(3), axis<K>(3)>());
    visits_every_element_once(tensor<int, axis<K>(4).ring(), i, j>());
    for (int n = 0; n < 40; ++n) {
        visits_every_element_once(tensor<int, axis<N>(spio::dynamic), i>(nullptr, N(n)));
        visits_every_element_once(
            tensor<int, axis<N>(spio::dynamic) / 8, i, axis<N>(spio::dynamic) % 8>(nullptr, N(n)));
        visits_every_element_once(
            tensor<int, i, axis<N>(spio::dynamic) / 16, axis<N>(spio::dynamic) / 4 % 4,
                   axis<N>(spio::dynamic) % 4>(nullptr, N(n)));
    }
}

// What std algorithms and containers take.
static_assert(std::forward_iterator<decltype(spio::range(K(3)).begin())>);
static_assert(std::forward_iterator<decltype(spio::reverse_range(K(3)).begin())>);
static_assert(std::forward_iterator<decltype(spio::range_with_step<2>(K(3)).begin())>);
static_assert(std::forward_iterator<decltype(spio::range(I(2) + K(3)).begin())>);
static_assert(std::forward_iterator<decltype(range(I(2) + K(3), spio::z_order()).begin())>);

TEST_CASE("std algorithms read ranges, and containers sort places by a total order") {
    auto const is_even = [](K k) { return k.get() % 2 == 0; };
    CHECK(std::ranges::count_if(spio::range(K(9)), is_even) == 5);
    CHECK(std::ranges::count_if(spio::reverse_range(K(9)), is_even) == 5);
    CHECK(std::ranges::distance(spio::range_with_step<4>(K(9))) == 3);
    auto const corners = spio::range(spio::make_coordinates(I(3), K(4)));
    using corner = decltype(corners)::iterator::value_type;
    std::map<corner, int, spio::lexicographic> numbers;
    std::unordered_map<corner, int, spio::place_hash> hashed;
    for (auto const p : range(I(3) + K(4), spio::hilbert_order())) {
        numbers[p] = hashed[p] = p.get<I>().get() * 4 + p.get<K>().get();
    }
    REQUIRE((numbers.size() == 12 && hashed.size() == 12));
    int expected = 0;
    for (auto const& entry : numbers) CHECK(entry.second == expected++);
    CHECK(std::ranges::equal(corners, std::views::keys(numbers)));
    for (auto const p : corners) CHECK(hashed[p] == numbers[p]);
}
