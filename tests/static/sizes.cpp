// Arithmetic of sizes: an axis folds by divisors of its size; axes do not add or multiply.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis computes its place from several digits of a
// position: swizzle() and checkerboard() make such axes, which spread a tile over the banks of
// shared memory, and derived() makes one of any function. A compound index is one number for
// several indices, the last of which varies fastest. is_injective says whether different positions
// have different offsets.
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
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether the sum of two such values compiles.
template <class A, class B>
concept adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept multiplies = requires(A a, B b) { a* b; };
template <auto A, int N>
concept folds_by = requires { typename spio::layout<A / N>; };
template <auto A, int N>
concept reduces_by = requires { typename spio::layout<A % N>; };
template <class D, int N>
concept has_size = requires { typename spio::layout<axis<D>(N)>; };
template <class D, auto... Axes>
constexpr int size = spio::layout<Axes...>().template size<D>().get();

// An axis folds by divisors of its size, and has remainders by them.
// (TestStaticDim.test_static_dim_fold_requires_divisibility,
// test_static_dim_modulo_requires_divisibility)
static_assert(folds_by<axis<I>(16), 8> && !folds_by<axis<I>(17), 8> && !folds_by<axis<I>(16), 0>);
static_assert(reduces_by<axis<I>(128), 16> && !reduces_by<axis<I>(128), 17> &&
              !folds_by<axis<I>(16), -8>);

// An axis of a fold folds by divisors of its size in blocks, and has remainders by them.
// (TestStaticFold.test_static_fold_divide_requires_divisibility,
// test_static_fold_modulo_different_sizes)
static_assert(folds_by<axis<K8>(16), 2> && !folds_by<axis<K8>(15), 2>);
static_assert(reduces_by<axis<K8>(100), 1> && reduces_by<axis<K8>(100), 10> &&
              reduces_by<axis<K8>(100), 50>);
static_assert(reduces_by<axis<K8>(100), 100> && !reduces_by<axis<K8>(100), 3> &&
              !reduces_by<axis<K8>(100), 101>);

// An axis has a positive size, unless it is dynamic.
// (TestStaticFold.test_auto_fold_size_error_on_coarsest_auto,
// TestDimsAutoFold.test_error_coarsest_fold_auto)
static_assert(has_size<I, 1> && !has_size<I, 0> && !has_size<I, -1>);

// Axes do not add or multiply. (TestStaticDim.test_static_dim_add_same_base,
// test_static_dim_add_different_base_raises, test_static_dim_add_int, test_static_dim_int_add,
// test_static_dim_multiply_same_base, test_static_dim_multiply_different_base_raises)
static_assert(!adds<axis<I>, axis<I>> && !adds<axis<I>, axis<J>> && !adds<axis<I>, int> &&
              !adds<int, axis<I>>);
static_assert(!multiplies<axis<I>, axis<I>> && !multiplies<axis<I>, axis<J>> &&
              !multiplies<axis<I>, int>);

// Values of dimensions and folds scale by numbers. (TestStaticDim.test_static_dim_multiply_by_int,
// test_static_dim_int_multiply, TestStaticFold.test_static_fold_multiply_by_int,
// test_static_fold_int_multiply)
static_assert(I(4) * 3 == I(12) && 5 * I(4) == I(20) && K8(4) * 3 == K8(12) && 2 * K8(4) == K8(8));
static_assert(size<I, axis<I>(I(4) * 3)> == 12 && size<K8, axis<K8>(2 * K8(4))> == 8);

// Folds of one stride add; folds do not add to numbers, and do not multiply.
// (TestStaticFold.test_static_fold_add_same_base_and_stride, test_static_fold_add_int,
// test_static_fold_int_add, test_static_fold_add_different_base_raises,
// test_static_fold_add_different_stride_raises, test_static_fold_multiply_same_base_and_stride,
// test_static_fold_multiply_different_base_raises,
// test_static_fold_multiply_different_stride_raises)
static_assert(K8(4) + K8(2) == K8(6) && size<K8, axis<K8>(K8(4) + K8(2))> == 6);
static_assert(!adds<K8, int> && !adds<int, K8> && !adds<axis<K8>, axis<K8>> &&
              !adds<axis<K8>, axis<K>>);
static_assert(!multiplies<K8, K8> && !multiplies<K8, I> && !multiplies<K8, fold<K, 16>>);

// The sizes of folds follow from the axis. (TestStaticFold.test_auto_fold_size_with_static_dims,
// test_auto_fold_size_with_multiple_folds)
constexpr auto k = axis<K>(128);
static_assert(size<K, k / 8, k % 8> == 8 && size<K8, k / 8, k % 8 / 4, k % 4> == 16);
static_assert(size<fold<K, 4>, k / 8, k % 8 / 4, k % 4> == 2 &&
              size<K, k / 8, k % 8 / 4, k % 4> == 4);

// Each size is found by its dimension. (TestStaticDim.test_dims_with_static_dims)
static_assert(size<I, axis<I>(16), axis<J>(32)> == 16 && size<J, axis<I>(16), axis<J>(32)> == 32);

// Different names of a fold are one type. (TestFoldAliases.test_same_name_reuses_object,
// test_second_assignment_creates_copy, test_fold_identity_preserved_for_matching,
// test_three_aliases_same_stride)
using FirstName = fold<K, 8>;
using SecondName = fold<fold<K, 4>, 2>;
using ThirdName = fold<fold<fold<K, 2>, 2>, 2>;
static_assert(same<FirstName, SecondName> && same<SecondName, ThirdName> && same<FirstName, K8>);
static_assert(FirstName(3) == ThirdName(3) && size<SecondName, axis<ThirdName>(7)> == 7);

// A tensor of a divided axis, another axis and the remainder.
// (TestTensorWithStaticDims.test_static_dim_objects, TestTensorWithFolds.test_static_fold,
// test_fold_with_auto_size, TestTensorWithDerivedDims.test_division_derived_dim,
// TestTensorTupleDimArgs.test_tuple_basic_dims, test_tuple_with_derived_dims,
// test_tuple_with_folds)
constexpr auto i = axis<I>(64);
using Divided = spio::tensor<float, i / 16, axis<J>(4), i % 16>;
static_assert(Divided::size() == 256 && Divided::size<I>() == I(16) &&
              Divided::extent<I>() == I(64));

// The tensors of a matrix product: in global memory, as swizzled tiles, and the result with a
// pitch. (TestTensorWithDerivedDims.test_checkerboard_derived_dim,
// TestTensorMmaCheckerboardPatterns.test_global_memory_tensor_pattern,
// test_shared_memory_tensor_with_checkerboard, test_output_tensor_with_strides,
// test_register_tensor_with_fragment_dtype, test_full_matmul_tensor_set)
struct half8 {
    unsigned words[4];
};
constexpr auto m = axis<I>(256);
constexpr auto n = axis<J>(128);
constexpr auto chunk = axis<K>(32);
using Global = spio::tensor<half8 const, axis<I>(8192), axis<K>(1024) / 8>;
using SharedA = spio::tensor<half8, chunk / 16, m / 16, spio::checkerboard(m % 16, chunk % 16 / 8)>;
using SharedB = spio::tensor<half8, chunk / 16, n / 16, spio::checkerboard(n % 16, chunk % 16 / 8)>;
using Output = spio::tensor<half8, m.pitch(136 / 8), n / 8>;
static_assert(Global::size() == 8192 * 128 && SharedA::size() == 256 * 4 &&
              SharedB::size() == 128 * 4);
static_assert(SharedA::extents() == spio::make_coordinates(K(32), I(256)) &&
              Output::storage_size() == 255 * 17 + 16);
static_assert(spio::is_injective<SharedA> && spio::is_injective<SharedB> &&
              spio::is_injective<Output>);
static_assert(Global()[I(21)][K(24)].offset() == 21 * 128 + 3 &&
              SharedA()[I(21)][K(24)].offset() == 512 + 32 + 10);

// One position subscripts two tensors, each by the dimensions that it has.
// (TestTensorEdgeCases.test_shared_dims_across_tensors)
constexpr auto world = spio::make_coordinates(I(21), J(9), K(24));
static_assert(SharedB()[world].offset() == SharedB()[J(9)][K(24)].offset());
static_assert(SharedA()[world].offset() == SharedA()[K(24)][I(21)].offset());

// A tensor of fragments: each axis is divided by the fragment's size.
// (TestTensorDivideByFragment.test_basic_division_with_string_dims,
// test_division_produces_static_folds, test_division_with_extra_tensor_dims,
// test_division_preserves_constant)
struct fragment {
    float values[8];
};
using OfFragments = spio::tensor<fragment const, axis<J>(3), axis<I>(64) / 16, axis<K>(32) / 16>;
static_assert(OfFragments::size<fold<I, 16>>() == fold<I, 16>(4) &&
              OfFragments::size<fold<K, 16>>() == fold<K, 16>(2));
static_assert(OfFragments::size<J>() == J(3) && OfFragments::num_bytes() == 24 * 32);

// An index less a padding, without one dimension, and both.
// (TestCoordinatesExpr.test_compound_index_coordinates,
// test_compound_index_sub_returns_coords_expr, test_coordinates_expr_sub,
// test_coordinates_expr_drop, test_compound_index_drop_returns_coords_expr,
// test_coordinates_expr_chain_sub_and_drop, test_cursor_initializer_with_coordinates_expr,
// test_cursor_initializer_mixed_coords_and_index)
using Block = spio::compound_index<axis<I>(8), axis<J>(4), axis<K>(2)>;
constexpr Block block(45);
static_assert(block - J(3) == spio::make_coordinates(I(5), J(2 - 3), K(1)));
static_assert((block - J(3) - I(1)).drop<K>() == spio::make_coordinates(I(4), J(-1)));
static_assert(same<decltype((block - J(3)).drop<K>())::bases, spio::coords<I, J>::bases>);
static_assert(block.coordinates().drop<I>() - K(7) == spio::make_coordinates(J(2), K(-6)));
using Input = spio::tensor<float const, axis<I>(8), axis<J>(4)>;
static_assert(!Input()[(block - J(3)).drop<K>()].inbounds() && Input()[block - J(2)].inbounds());
