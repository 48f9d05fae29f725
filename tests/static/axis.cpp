// Axes: dimensions with a size, their folds and remainders, and the layouts made of them.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. is_injective says whether different positions have different
// offsets.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
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
using spio::fold;
using spio::fold_up;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// A tensor of floats with these axes.
template <auto... Axes> using floats = spio::tensor<float, Axes...>;
// The size of the axis that counts D in a layout of these axes.
template <class D, auto... Axes>
constexpr int size = spio::layout<Axes...>().template size<D>().get();

constexpr auto i = axis<I>(128);
constexpr auto k = axis<K>(128);

// The size of an axis is given as a number or as a value of its dimension.
// (TestStaticDim.test_dim_call_creates_static_dim)
static_assert(size<I, axis<I>(16)> == 16);
static_assert(size<I, axis<I>(I(16))> == 16);

// An axis divided by 16 counts blocks of 16; its extent stays.
// (TestStaticDim.test_static_dim_divide_creates_fold)
static_assert(size<fold<I, 16>, i / 16> == 8 && spio::layout<i / 16>().extent<I>() == I(128));

// fold_up() rounds the number of blocks up. (TestStaticDim.test_static_dim_fold_up_rounds_up,
// test_static_dim_fold_up_exact_division)
static_assert(size<fold<I, 8>, fold_up(axis<I>(17), 8)> == 3 &&
              size<fold<I, 8>, fold_up(axis<I>(16), 8)> == 2);
template <int N>
constexpr bool fold_up_is_the_ceiling =
    size<fold<I, 4>, fold_up(axis<I>(N), 4)> == spio::divup(N, 4);
static_assert(fold_up_is_the_ceiling<1> && fold_up_is_the_ceiling<4> && fold_up_is_the_ceiling<5>);

// An axis is the product of its quotient and its remainder. (TestStaticDim.test_static_dim_modulo,
// test_static_dim_division_and_modulo_decompose)
template <int N>
constexpr bool decomposes =
    size<fold<I, N>, i / N, i % N> * size<I, i / N, i % N> == 128 && size<I, i / N, i % N> == N;
static_assert(decomposes<2> && decomposes<4> && decomposes<16> && decomposes<64>);

// An axis of a fold counts blocks; its base is that of the fold.
// (TestStaticFold.test_fold_call_creates_static_fold, test_dims_with_static_fold)
static_assert(size<K8, axis<K8>(16)> == 16 && spio::layout<axis<K8>(16)>().extent<K>() == K(128));
static_assert(same<spio::layout<axis<K8>(16)>::bases, spio::layout<k>::bases>);

// One layout may have an axis of blocks of K and one of K.
// (TestStaticFold.test_dims_with_mixed_static_dim_and_fold)
static_assert(size<K8, axis<K8>(4), axis<K>(8)> == 4 && size<K, axis<K8>(4), axis<K>(8)> == 8);

// An axis of a fold divides and has remainders like one of a dimension.
// (TestStaticFold.test_static_fold_divide_operator, test_static_fold_modulo_basic,
// test_static_fold_modulo_preserves_fold, test_static_fold_division_and_modulo_decompose)
constexpr auto k8 = axis<K8>(32);
static_assert(size<fold<K, 16>, k8 / 2> == 16 && size<fold<K, 16>, k / 8 / 2> == 8);
static_assert(size<K8, k8 / 4, k8 % 4> == 4 && size<fold<K, 32>, k8 / 4, k8 % 4> == 8);
static_assert(size<fold<K, 16>, k8 / 2, k8 % 2> == 16 && size<K8, k8 / 2, k8 % 2> == 2);
static_assert(size<K8, k / 8 % 4, k / 32, k % 8> == 4 &&
              size<fold<K, 32>, k / 8 % 4, k / 32, k % 8> == 4);
static_assert(size<K8, (k % 16) / 8, k / 16, k % 8> == 2);

// The sizes of K / 8, K % 8 / 4 and K % 4 are found: 16, 2 and 4. (AutoFold.tensor_k8_k4_k,
// TestDimsAutoFold.test_auto_fold_k8_k4_k)
using K8K4K = floats<k / 8, k % 8 / 4, axis<I>(32), k % 4>;
static_assert(K8K4K::size<K8>() == K8(16) && K8K4K::size<fold<K, 4>>() == fold<K, 4>(2));
static_assert(K8K4K::size<K>() == K(4) && K8K4K::size<I>() == I(32) &&
              K8K4K::size() == 16 * 2 * 4 * 32);

// The sizes of K / 8 and K % 8 are found: 4 and 8. (AutoFold.tensor_k8_k,
// TestDimsAutoFold.test_auto_fold_k8_k)
using K8K = floats<axis<K>(32) / 8, axis<K>(32) % 8>;
static_assert(K8K::size<K8>() == K8(4) && K8K::size<K>() == K(8));

// Each of two bases is folded by itself. (AutoFold.tensor_multiple_base_dims,
// TestDimsAutoFold.test_auto_fold_multiple_base_dims)
using TwoBases = floats<axis<K>(64) / 8, axis<I>(64) / 16, axis<K>(64) % 8 / 4, axis<K>(64) % 4,
                        axis<I>(64) % 16>;
static_assert(TwoBases::size<K8>() == K8(8) && TwoBases::size<fold<K, 4>>() == K8(1));
static_assert(TwoBases::size<K>() == K(4) && TwoBases::size<fold<I, 16>>() == fold<I, 16>(4));
static_assert(TwoBases::size<I>() == I(16));

// Sizes that are written out may be those that follow from folding.
// (ExplicitFold.matching_explicit_sizes, TestDimsAutoFold.test_explicit_sizes_match)
using Explicit = floats<axis<K8>(4), axis<fold<K, 4>>(2), axis<K>(4)>;
static_assert(Explicit::size() == 32 && Explicit::extent<K>() == K(32));

// Whether axes form a layout. Axes of different sizes for one dimension, for example, do not.
template <auto... Axes>
concept lays_out = requires { typename spio::layout<Axes...>; };
static_assert(lays_out<axis<K8>(4), axis<K>(8)>);

// Axes of one base must meet: the finer one ends where the next begins.
// (TestDimsAutoFold.test_error_explicit_size_mismatch, test_error_non_divisible_fold_factors)
static_assert(!lays_out<axis<K8>(4), axis<K>(4)>);
static_assert(!lays_out<axis<K8>(4), axis<fold<K, 3>>(2), axis<K>(3)>);

// Two axes do not count the same dimension, and a number is no axis.
// (TestStaticDim.test_dims_error_on_duplicate_dim, test_dims_error_on_duplicate_fold,
// test_dims_error_on_non_static_dim)
static_assert(!lays_out<axis<I>(4), axis<I>(4)> && !lays_out<axis<K>(8), axis<K8>(4), axis<K>(8)>);
static_assert(!lays_out<axis<K8>(4), axis<K8>(4), axis<K>(8)>);
static_assert(!lays_out<16> && !lays_out<axis<I>(4), 8>);

// A fold by one leaves an axis that is always 0 beside the other.
static_assert(lays_out<k / 1, k % 1> && lays_out<k % 1, axis<I>(4), k / 1> && lays_out<k / 1>);

// The size of an axis may be given as a value of its own dimension, and of no other.
template <class D, class From>
concept sizes = requires(From n) { axis<D>(n); };
static_assert(!sizes<K, I> && !sizes<K, fold<I, 8>> && !sizes<K8, I> && !sizes<K, spio::coords<K>>);

// A position is an int, so that an extent stays below 2^31.
static_assert(lays_out<axis<I>(0x7fffffff)> && !lays_out<axis<fold<I, 2>>(1 << 30)>);

// An axis that is not folded has its size. (TestDimsAutoFold.test_single_dimension_no_fold)
static_assert(size<K, axis<K>(7), axis<I>(3)> == 7 && size<I, axis<K>(7), axis<I>(3)> == 3);

// The order of axes is part of a layout's type.
// (TestStaticDim.test_dims_with_static_dims_preserves_order)
static_assert(!same<spio::layout<axis<I>(4), axis<J>(8)>, spio::layout<axis<J>(8), axis<I>(4)>>);

// Strides grow from right to left; a pitch replaces the stride that would follow.
constexpr char memory[4096] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// The bytes between the first element and the one with this subscript.
template <class T, class D> constexpr long long stride_of(D d) {
    return T(memory)[d].get() - memory;
}

// A pitch is the stride of its axis, and the axes to its left follow from it.
// (TestStridesWithStaticDim.test_strides_with_static_dim, test_strides_with_static_fold,
// TestTensorWithStrides.test_explicit_stride,
// TestTensorPositionalDimArgs.test_positional_with_strides)
static_assert(stride_of<chars<axis<I>(4).pitch(68), axis<J>(64)>>(I(1)) == 68);
static_assert(stride_of<chars<axis<J>(4), axis<I>(4).pitch(68), axis<K>(64)>>(J(1)) == 4 * 68);
static_assert(stride_of<chars<(axis<K>(32) / 8).pitch(10), axis<K>(32) % 8>>(K(8)) == 10);

// A fold may have a pitch; the folds of one base have their own strides.
// (TestComputeFullStridesWithAnonymousFolds.test_anonymous_fold_in_dims_and_strides,
// test_anonymous_fold_auto_size_with_strides, test_multiple_anonymous_folds_same_base_dim)
constexpr auto j = axis<J>(128);
using Padded = chars<(j / 8).pitch(32), j % 8>;
static_assert(stride_of<Padded>(fold<J, 8>(1)) == 32 && stride_of<Padded>(J(1)) == 1);
using Twenty = chars<(axis<K>(16) / 4).pitch(20), axis<K>(16) % 4>;
static_assert(stride_of<Twenty>(fold<K, 4>(1)) == 20 && stride_of<Twenty>(K(1)) == 1);
struct WARP : spio::dim {
    using dim::dim;
};
using Three = chars<axis<WARP>(2), axis<I>(64) / 16, axis<I>(64) % 16>;
static_assert(stride_of<Three>(WARP(1)) == 64 && stride_of<Three>(fold<I, 16>(1)) == 16);
static_assert(stride_of<Three>(I(1)) == 1);

// A pitch of 0 is a broadcast; negative pitches are refused.
using Same = chars<axis<J>(4), axis<I>(4).pitch(0), axis<K>(64)>;
static_assert(stride_of<Same>(I(3)) == 0 && Same::storage_size() == 64 && Same::size() == 1024);
static_assert(!spio::is_injective<Same> && !spio::is_injective<chars<axis<I>(4).pitch(0)>>);
template <long long Pitch>
concept has_pitch = requires { typename chars<axis<I>(4).pitch(Pitch), axis<J>(4)>; };
static_assert(has_pitch<0> && has_pitch<68> && !has_pitch<-1> && !has_pitch<-5>);

// LANE and OFFSET, the dimensions that the library brings, make axes.
// (TestBuiltInDims.test_builtin_dims_in_dims, test_lane_creates_static_dim,
// test_offset_creates_static_dim)
static_assert(size<spio::LANE, axis<spio::LANE>(32)> == 32 &&
              size<spio::OFFSET, axis<spio::OFFSET>(8)> == 8);
static_assert(lays_out<axis<spio::LANE>(32), axis<I>(4)>);
static_assert(spio::axis_like<axis<I>> && !spio::axis_like<I> && !spio::axis_like<int>);
