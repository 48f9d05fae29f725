// Numbers of all integer types: each means itself, or is refused where no int can hold it.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A derived axis
// computes its place from several digits of a position: swizzle() and checkerboard() make such
// axes, which spread a tile over the banks of shared memory, and derived() makes one of any
// function. A compound index is one number for several indices, the last of which varies fastest.
// axis<K>(32) is the dimension K with 32 values; fold_up(axis<K>(30), 8) counts its 4 blocks of 8,
// the last of them in part. The pitch of an axis is the distance in memory between two steps, in
// elements. It is a long long, since int may be too small; with a pitch of 0 all steps share an
// element. The ranks of a checkerboard are the cells of one of its rows, an even number.
// linear_index is a compound index of bounded digits.
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
using spio::bounded;
using spio::compound_index;
using spio::fold;
using K8 = fold<K, 8>;

constexpr int greatest = 0x7fffffff;
constexpr int least = -greatest - 1;

// What a template argument would refuse is seen by requires.
template <long long> struct constant;
template <auto N>
concept is_position = requires { typename constant<K(N).get()>; };
template <auto N>
concept is_size = requires { typename constant<axis<K>(N).size>; };
template <auto N>
concept is_factor = requires { typename constant<(K(1) * N).get()>; };
template <auto N>
concept is_pitch = requires { typename constant<axis<K>(8).pitch(N).memory_stride>; };
template <auto N>
concept is_maximum = requires { typename constant<axis<K>(spio::dynamic.up_to(N)).size>; };
template <auto N>
concept is_dividing = requires { typename constant<(axis<K>(32) / N).size>; };
template <auto N>
concept is_modulus = requires { typename constant<(axis<K>(32) % N).size>; };
template <auto N>
concept is_block = requires { typename constant<fold_up(axis<K>(30), N).size>; };
template <auto N>
concept is_rank =
    requires { typename constant<spio::checkerboard(axis<K>(8), axis<I>(2), N).function.ranks>; };

// The ends of each type, and the neighbours of the ends of int.
template <class T> constexpr T most = static_cast<T>(~0ull >> (8 * (8 - sizeof(T)) + (T(-1) < 0)));
template <auto... Ns> constexpr bool are_positions = (is_position<Ns> && ...);
template <auto... Ns> constexpr bool are_none = (!is_position<Ns> && ...);
static_assert(are_positions<0, 0u, 0ll, 0ull, 1, -1, -1l, -1ll, greatest, least>);
static_assert(are_positions<most<short>, most<unsigned short>, most<signed char>,
                            most<unsigned char>, most<int>, most<unsigned> / 2>);
static_assert(are_positions<greatest + 0u, greatest + 0ll, greatest + 0ull, least + 0ll>);
static_assert(are_none<greatest + 1u, greatest + 1ll, greatest + 1ull, least - 1ll>);
static_assert(are_none<most<unsigned>, most<long>, most<unsigned long>, most<long long>,
                       most<unsigned long long>, -most<long long>>);
static_assert(are_none<1ll << 32, (1ll << 32) + 5, -(1ll << 32), 1ull << 63>);

template <auto... Ns>
constexpr bool are_refused =
    ((!is_size<Ns> && !is_factor<Ns> && !is_maximum<Ns> && !is_dividing<Ns> && !is_modulus<Ns> &&
      !is_block<Ns> && !is_rank<Ns>) &&
     ...);
static_assert(are_refused<(1ll << 32) + 2, (1ull << 32) + 2, 4294967295u, -(1ll << 32) + 2>);
static_assert(is_size<2> && is_size<2u> && is_size<2ll> && is_size<greatest> && !is_size<0> &&
              !is_size<0u> && !is_size<-1>);
static_assert(is_factor<-7> && is_factor<7ull> && is_maximum<64ll> && is_maximum<1u> &&
              !is_maximum<0>);
static_assert(is_dividing<8> && is_dividing<8u> && is_dividing<8ll> && !is_dividing<5> &&
              !is_dividing<0> && !is_dividing<-8>);
static_assert(is_modulus<8> && is_modulus<8u> && !is_modulus<5> && !is_modulus<0> && is_block<8> &&
              is_block<7ull> && !is_block<0> && is_rank<8ull> && !is_rank<3>);
static_assert(is_pitch<0> && is_pitch<(1ll << 40)> && is_pitch<7u> && !is_pitch<-1> &&
              !is_pitch<1ull << 63>);

// Nothing else is a number.
template <class T>
concept is_axis_size = requires(T n) { axis<K>(n); };
template <class T>
concept divides_axis = requires(axis<K> k, T n) { k / n; };
template <class T>
concept reduces_axis = requires(axis<K> k, T n) { k % n; };
template <class T>
concept sets_pitch = requires(axis<K> k, T n) { k.pitch(n); };
template <class T>
concept sets_maximum = requires(T n) { spio::dynamic.up_to(n); };
template <class T>
concept folds_up = requires(axis<K> k, T n) { fold_up(k, n); };
template <class T>
constexpr bool is_number = is_axis_size<T> && divides_axis<T> && reduces_axis<T> && sets_pitch<T> &&
                           sets_maximum<T> && folds_up<T>;
template <class T>
constexpr bool is_no_number = !is_axis_size<T> && !divides_axis<T> && !reduces_axis<T> &&
                              !sets_pitch<T> && !sets_maximum<T> && !folds_up<T>;
template <class... Ts> constexpr bool are_numbers = (is_number<Ts> && ...);
template <class... Ts> constexpr bool are_no_numbers = (is_no_number<Ts> && ...);
static_assert(
    are_numbers<int, unsigned, long, unsigned long, long long, unsigned long long, short>);
static_assert(are_no_numbers<float, double, bool, char, int*, I, axis<I>>);

// Division floors for divisors of any type: the quotient is that of whole numbers.
template <class N> constexpr bool divides_exactly() {
    constexpr long long values[] = {
        -2147483647ll - 1, -2147483647ll, -9ll, -8ll, -1ll, 0ll, 1ll, 8ll, 9ll,
        2147483646ll,      2147483647ll};
    constexpr N divisors[] = {
        N(1),  N(3),  N(8), N(greatest), most<N>, N(most<N> - 1), N(most<N> / 2 + 1),
        N(-1), N(-3), N(-8)};
    for (long long value : values) {
        for (N n : divisors) {
            bool const is_large = n > N(0) && static_cast<unsigned long long>(n) > 1ull << 40;
            bool const is_small = !(n > N(0)) && static_cast<long long>(n) < -(1ll << 40);
            long long expected = value < 0 ? -1 : 0;
            if (is_small) expected = value > 0 ? -1 : 0;
            if (!is_large && !is_small) {
                long long const d = static_cast<long long>(n);
                if (d == 0 || (value < -2147483647ll && d == -1)) continue;
                expected = value / d - (value % d != 0 && (value < 0) != (d < 0));
            }
            if ((K(value) / n).get() != expected) return false;
            if ((K8(value) / n).get() != expected) return false;
        }
    }
    return true;
}
static_assert(divides_exactly<int>() && divides_exactly<unsigned>() && divides_exactly<long>() &&
              divides_exactly<unsigned long>() && divides_exactly<long long>() &&
              divides_exactly<unsigned long long>() && divides_exactly<short>());
static_assert(K(8) / 4294967295u == K(0) && K(-8) / 4294967295u == K(-1));

// A compound index counts from 0, and an int counts it.
template <auto... Axes>
concept is_index = requires { typename compound_index<Axes...>; };
static_assert(is_index<axis<I>(1 << 16), axis<J>(1 << 14)> &&
              !is_index<axis<I>(1 << 16), axis<J>(1 << 15)>);
static_assert(!is_index<axis<I>(65536), axis<J>(65536)> &&
              !is_index<axis<I>(greatest), axis<J>(greatest), axis<K>(greatest)>);
static_assert(is_index<axis<I>(spio::dynamic), axis<J>(greatest)> && is_index<axis<I>(greatest)>);
template <class... Digits>
concept is_linear_index = requires { typename spio::linear_index<Digits...>; };
static_assert(is_linear_index<bounded<I, 1 << 16>, bounded<J, 1 << 14>> &&
              !is_linear_index<bounded<I, 1 << 16>, bounded<J, 1 << 15>>);
using Index = compound_index<axis<I>(5), axis<J>(3)>;
template <auto N>
concept is_offset = requires { typename constant<Index(N).offset().get()>; };
// An offset beyond the size is a position out of bounds, which inbounds() reports.
static_assert(is_offset<0> && is_offset<14u> && is_offset<15> && is_offset<1000ll>);
static_assert(!is_offset<-1> && !is_offset<least> && !is_offset<1ll << 32>);

// Ranges end where they should, at both ends of int.
template <class Range> constexpr long long length(Range r) {
    long long count = 0;
    for ([[maybe_unused]] auto x : r) ++count;
    return count;
}
// The sum of the values that a range yields.
template <class Range> constexpr long long sum(Range r) {
    long long total = 0;
    for (auto x : r) total += x.get();
    return total;
}
template <int Step, int Reach> constexpr bool ranges_end() {
    constexpr int starts[] = {least, least + 1, -Reach, 0, greatest - Reach};
    for (int start : starts) {
        for (int size = -2; size < Reach; ++size) {
            long long const end = 1ll * start + size;
            if (end < least || end > greatest) continue;
            long long expected = 0;
            long long expected_sum = 0;
            for (long long n = start; n < end; n += Step) {
                ++expected;
                expected_sum += n;
            }
            auto const range = spio::range_with_step<Step>(K(start), K(end));
            if (length(range) != expected || sum(range) != expected_sum) return false;
            if (Step == 1 && length(spio::range(K(start), K(end))) != expected) return false;
            auto const reversed = spio::reverse_range(K(start), K(end));
            if (Step == 1 && (length(reversed) != expected || sum(reversed) != expected_sum))
                return false;
        }
    }
    return true;
}
static_assert(ranges_end<1, 20>() && ranges_end<2, 20>() && ranges_end<3, 20>() &&
              ranges_end<7, 20>() && ranges_end<64, 200>() && ranges_end<greatest, 20>());
static_assert(length(spio::range_with_step<3>(K(greatest - 1), K(greatest))) == 1);
static_assert(length(spio::range_with_step<1 << 30>(K(greatest))) == 2);
static_assert(length(spio::range_with_step<4>(K(-8))) == 0 &&
              length(spio::reverse_range(K(least))) == 0);
