// The algebra of compound indices: numbers of positions, products and complements.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A compound index is one number for several indices, the last of
// which varies fastest.
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
using spio::axis;
using spio::complement;
using spio::compound_index;
using spio::index_at;
using spio::product_index;
using spio::tensor;

constexpr auto i = axis<I>(8);
constexpr auto k = axis<K>(12);
using Tile = tensor<char const, k / 4, i, k % 4>;

// index_at is the inverse of the index, whatever else the position has and however it is written.
template <class Index> constexpr bool is_inverted() {
    for (int n = 0; n < Index::size(); ++n) {
        auto const position = Index(n).coordinates();
        if (index_at<Index>(position).offset().get() != n) return false;
        if (index_at<Index>(position.normalize() + J(5)).offset().get() != n) return false;
    }
    return true;
}
static_assert(is_inverted<compound_index<i, k>>() && is_inverted<compound_index<k / 4, i % 4>>() &&
              is_inverted<compound_index<i / 2 % 2, k % 4 / 2, k / 6>>());
// Digits are those of the whole position: I(11) of 8 rows is row 3 in an inner digit.
static_assert(index_at<compound_index<k / 4, i>>(I(11) + K(9)).offset().get() == 2 * 8 + 3);
static_assert(index_at<compound_index<i, k>>(I(9) + K(0)).offset().get() == 9 * 12);
template <class Index, class P>
concept has_index_at = requires(P p) { index_at<Index>(p); };
static_assert(has_index_at<compound_index<i>, I> &&
              has_index_at<compound_index<i>, spio::coords<I, J>> &&
              !has_index_at<compound_index<i, k>, I> && !has_index_at<compound_index<i>, int>);

// A product counts the second index fastest.
using Block = compound_index<k / 4, i / 4>;
using Thread = compound_index<i % 4, k % 4>;
constexpr bool is_product() {
    using Both = product_index<Block, Thread>;
    for (int n = 0; n < Both::size(); ++n) {
        if (Both(n) != Block(n / 16) + Thread(n % 16)) return false;
    }
    return Both::size() == 96;
}
static_assert(is_product());
template <class A, class B>
concept has_product = requires { typename product_index<A, B>; };
static_assert(!has_product<Block, Block> && !has_product<Block, int>);

// An index and its complement reach every element of the tensor once.
template <class Index, class Tensor> constexpr bool is_complement() {
    using Rest = complement<Index, Tensor>;
    bool is_met[Tensor::storage_size()] = {};
    for (int n = 0; n < Index::size(); ++n) {
        for (int m = 0; m < Rest::size(); ++m) {
            auto const cursor = Tensor(nullptr)[Index(n)][Rest(m)];
            if (!cursor.inbounds() || is_met[cursor.offset()]) return false;
            is_met[cursor.offset()] = true;
        }
    }
    return Index::size() * Rest::size() == Tensor::size();
}
static_assert(is_complement<Thread, Tile>() && is_complement<Block, Tile>() &&
              is_complement<compound_index<k / 2 % 2>, Tile>() &&
              is_complement<compound_index<k % 6, i / 2 % 2>, Tile>());
static_assert(complement<compound_index<i, k>, Tile>::size() == 1);
template <class Index, class Tensor>
concept has_complement = requires { typename complement<Index, Tensor>; };
static_assert(!has_complement<compound_index<axis<K>(16) / 8>, Tile> &&
              !has_complement<compound_index<axis<K>(10) / 5>, Tile> &&
              !has_complement<Thread, tensor<char, axis<I>(spio::dynamic)>>);
