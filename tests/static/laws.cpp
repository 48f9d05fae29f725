// The laws of the algebra, each under its number, over whole small domains.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A ring is an axis
// around which positions wrap.
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
using spio::bounded;
using spio::fold;
using spio::make_coordinates;
using I4 = fold<I, 4>;
using K8 = fold<K, 8>;
using K16 = fold<K, 16>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
// Whether law(a, b) holds for all numbers from `low` to `high` - 1.
template <class Law> constexpr bool for_all(int low, int high, Law law) {
    for (int a = low; a < high; ++a) {
        for (int b = low; b < high; ++b) {
            if (!law(a, b)) return false;
        }
    }
    return true;
}
// Quotients towards negative infinity, of a positive d, and what they leave.
constexpr int floor(int n, int d) { return n / d - (n % d < 0); }
constexpr int rest(int n, int d) { return n - d * floor(n, d); }
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char, Axes...>;
// Whether axes form a layout; axes of different sizes for one dimension, for example, do not.
template <auto... Axes>
concept lays_out = requires { typename spio::layout<Axes...>; };

constexpr auto i = axis<I>(8);
constexpr auto k = axis<K>(32);
using Plain = chars<i, k>;
using Folded = chars<k / 8, i, k % 8>;
using Thrice = chars<k % 4, k / 16, i / 4, k / 4 % 4, i % 4>;
using Coarse = chars<k / 8, i / 4>;
using Checkered = chars<k / 16, spio::checkerboard(i, k / 8 % 2), k % 8>;
using Exchanged = chars<i.pitch(40), spio::swizzle(k / 8, i % 4), k % 8>;
using Ring = chars<k.ring() / 8, k % 8, i>;
using Functional =
    chars<k / 8, spio::derived([](I a, K b) { return a.get() * 8 + (7 - b.get()); }, i, k % 8)>;

// 1. t[a][b] == t[b][a] == t[a + b]: a and b of one base or of two, in any precision, stepped or
// not.
template <class T, class A, class B> constexpr bool order_and_split_never_matter() {
    return for_all(-2, 4, [](int x, int y) {
        auto const a = A(x * 5);
        auto const b = B(y * 7);
        auto const move = make_coordinates(I(3), K(21));
        auto const expected = T()[a + b].offset();
        auto stepped = T()[a];
        if constexpr (requires { stepped.step(b); }) {
            if (stepped.step(b).offset() != expected) return false;
        }
        return T()[a][b].offset() == expected && T()[b][a].offset() == expected &&
               T()[a][move][b].offset() == T()[move + a + b].offset();
    });
}
template <class T, class A, class B>
inline constexpr bool law_1 = order_and_split_never_matter<T, A, B>();
template <class T>
concept commutes = law_1<T, I, K> && law_1<T, K, K>;
template <class T>
concept commutes_in_folds = law_1<T, K8, K> && law_1<T, K8, K16> && law_1<T, fold<K, 6>, I4>;
static_assert(commutes<Plain> && commutes<Folded> && commutes<Thrice> && commutes<Coarse>);
static_assert(commutes<Checkered> && commutes<Exchanged> && commutes<Ring> && commutes<Functional>);
static_assert(commutes_in_folds<Plain> && commutes_in_folds<Folded> && commutes_in_folds<Thrice>);
static_assert(commutes_in_folds<Coarse> && commutes_in_folds<Checkered> &&
              commutes_in_folds<Exchanged>);
static_assert(commutes_in_folds<Ring> && commutes_in_folds<Functional>);

// and each is where its layout says, on the normalized position.
constexpr bool offsets_are_what_the_layouts_say() {
    for (int a = -8; a < 16; a += 3) {
        for (int b = -32; b < 64; b += 5) {
            int const k8 = floor(b, 8);
            int const k1 = rest(b, 8);
            auto const offset_of = [&]<class T>(T t) { return t[I(a)][K(b)].offset(); };
            if (offset_of(Plain()) != a * 32 + b || offset_of(Folded()) != k8 * 64 + a * 8 + k1)
                return false;
            if (offset_of(Coarse()) != k8 * 2 + floor(a, 4) ||
                offset_of(Functional()) != k8 * 64 + a * 8 + 7 - k1)
                return false;
            if (offset_of(Exchanged()) != a * 40 + (k8 ^ rest(a, 4)) * 8 + k1) return false;
            if (offset_of(Ring()) != rest(k8, 4) * 64 + k1 * 8 + a) return false;
            int const pair = 2 * a + rest(k8, 2);
            if (offset_of(Checkered()) != floor(b, 16) * 128 + (pair ^ (floor(a, 4) & 1)) * 8 + k1)
                return false;
        }
    }
    return true;
}
static_assert(offsets_are_what_the_layouts_say());

// 2. Division floors, remainders are non-negative: K(-1) is K8(-1) + 7.
static_assert(K8(K(-1)) == K8(-1) && spio::modulo<8>(K(-1)) == K(7) && K(-1) == K8(-1) + K(7));
static_assert(for_all(-40, 40, [](int a, int b) {
    if (b <= 0) return true;
    return K8(K(a)).get() == floor(a, 8) && (K(a) % K(b)).get() == rest(a, b) &&
           (K(a) / b).get() == floor(a, b) && K8(K(a)) + spio::modulo<8>(K(a)) == K(a);
}));

// 3. A bare integer is not a dimension, in either direction.
template <class From, class To>
concept becomes = requires(From x, void (*f)(To)) { f(x); };
// Whether the sum of two such values compiles.
template <class A, class B>
concept adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept compares = requires(A a, B b) { a < b; } || requires(A a, B b) { a == b; };
static_assert(!becomes<int, K> && !becomes<K, int> && !becomes<int, K8> && !becomes<K8, int> &&
              !becomes<K, bool>);
static_assert(!adds<K, int> && !adds<int, K> && !compares<K, int> && !compares<int, K8> &&
              !compares<K, long>);

// 4. The sum of two folds of one base is a fold by the greatest stride that divides both.
// Conversion to a coarser fold rounds down.
static_assert(equals<K8>(K8(1) + K16(1), 3) &&
              equals<fold<K, 2>>(fold<K, 6>(1) + fold<K, 4>(1), 5));
static_assert(for_all(-12, 12, [](int a, int b) {
    return equals<fold<K, 2>>(fold<K, 6>(a) + fold<K, 4>(b), 3 * a + 2 * b) &&
           equals<K8>(K8(a) - K16(b), a - 2 * b) &&
           equals<fold<K, 3>>(fold<K, 9>(a) + fold<K, 6>(b), 3 * a + 2 * b) &&
           K16(K8(a)).get() == floor(a, 2) && fold<K, 4>(fold<K, 6>(a)).get() == floor(3 * a, 2);
}));

// 5. Nothing wraps unless it says so.
static_assert(equals<K>(bounded<K, 4>(3) + bounded<K, 4>(2), 5) &&
              equals<K>(bounded<K, 4>(1) - bounded<K, 4>(2), -1));
static_assert(Plain()[I(9)].offset() == 9 * 32 && Plain()[K(33)].offset() == 33 &&
              Folded()[K(33)].offset() == 4 * 64 + 1);
constexpr bool a_ring_wraps() {
    for (int a = -70; a < 70; ++a) {
        if (Ring()[K(a)].offset() != rest(a, 32) * 8) return false;
        if (chars<axis<K>(3).ring(), i>()[K(a)].offset() != rest(a, 3) * 8) return false;
    }
    return true;
}
static_assert(a_ring_wraps());

// 6. Comparison holds for every shared base; no shared base is a compile error.
static_assert(for_all(-3, 4, [](int a, int b) {
    auto const x = make_coordinates(I(a), K8(b), J(99));
    auto const y = make_coordinates(K(b * a), I(b));
    return (x < y) == (a < b && 8 * b < b * a) && (x <= y) == (a <= b && 8 * b <= b * a) &&
           (x == y) == (a == b && 8 * b == b * a);
}));
static_assert(!compares<spio::coords<I>, spio::coords<K>> && !compares<I, K> &&
              !compares<spio::coords<>, I>);

// 7. A single value whose base the tensor lacks is a compile error; coordinates project.
template <class T, class P>
concept subscripts = requires(T t, P p) { t[p]; };
static_assert(subscripts<Plain, I> && !subscripts<Plain, J> && !subscripts<Plain, spio::coords<J>>);
static_assert(Folded()[make_coordinates(J(7), I(2), N(9), K(9))].offset() ==
              Folded()[I(2)][K(9)].offset());

// 8. The folds of one base in a layout tile it: strides divide, sizes meet.
static_assert(lays_out<k / 8, k % 8> && lays_out<k % 8, i, k / 8> &&
              lays_out<k / 16, k / 4 % 4, k % 4>);
static_assert(!lays_out<k / 8, k % 4> && !lays_out<k / 8, k % 16> && !lays_out<k, k> &&
              !lays_out<k / 8, k / 4 % 2, k % 8>);
static_assert(lays_out<axis<fold<K, 6>>(4), axis<K>(6)> &&
              !lays_out<axis<fold<K, 6>>(4), axis<fold<K, 4>>(1), axis<K>(4)>);

// 9. range(tensor) visits every element once, whatever the pitches.
template <class T> constexpr bool visits_each_once() {
    bool is_visited[T::storage_size()] = {};
    int count = 0;
    for (auto x : range(T())) {
        auto const offset = T()[x].offset();
        if (is_visited[offset]) return false;
        is_visited[offset] = true;
        ++count;
    }
    return count == T::size();
}
static_assert(visits_each_once<Folded>() && visits_each_once<Coarse>());
static_assert(visits_each_once<Exchanged>());
static_assert(visits_each_once<chars<i.pitch(64), axis<K>(20).pitch(3)>>());

// 10. inbounds() means 0 <= position < extent in every base.
template <class T> constexpr bool inbounds_is_inside() {
    for (int a = -9; a < 18; a += 3) {
        for (int b = -9; b < 42; b += 2) {
            bool const expected = 0 <= a && a < 8 && 0 <= b && b < 32;
            if (T()[I(a)][K(b)].inbounds() != expected ||
                T()[K8(-2)][I(a) + K(b + 16)].inbounds() != expected)
                return false;
        }
    }
    return true;
}
static_assert(inbounds_is_inside<Plain>() && inbounds_is_inside<Folded>());
static_assert(inbounds_is_inside<Coarse>() && inbounds_is_inside<Ring>() &&
              inbounds_is_inside<Functional>());

// 11. Host and device give the same offsets: this file is compiled for both, by every compiler.

// 12. Offsets are as wide as the layout needs, by type.
using Narrow = chars<axis<I>((1 << 16) - 1), axis<J>(1 << 15)>;
using Wide = chars<axis<I>(1 << 16), axis<J>(1 << 15).pitch(2)>;
static_assert(sizeof(Narrow::offset_type) == 4 && sizeof(Wide::offset_type) == 8);
static_assert(Narrow()[I((1 << 16) - 2)][J((1 << 15) - 1)].offset() == 0x7fff7fff);
static_assert(Wide()[I((1 << 16) - 1)][J((1 << 15) - 1)].offset() == 0xfffffffell);
// The greatest offset decides, and the end of each axis, which is an address too.
static_assert(sizeof(chars<axis<I>(2).pitch((1 << 30) - 1), axis<J>(2)>::offset_type) == 4);
static_assert(sizeof(chars<axis<I>(2).pitch(1 << 30)>::offset_type) == 8);
static_assert(sizeof(chars<axis<I>(2).pitch(1), axis<J>(1 << 16).pitch(1 << 15)>::offset_type) ==
              8);
using Two_to_the_31 = chars<axis<I>(1 << 16), axis<J>(1 << 15)>;
static_assert(Two_to_the_31()[I(1 << 16)].offset() == Two_to_the_31::storage_size());
static_assert(chars<axis<I>(1).pitch(1ll << 40)>()[I(1)].offset() == 1ll << 40);
static_assert(Wide::storage_size() == 0xffffffffll &&
              sizeof(Wide::offset_type) == sizeof(Wide().origin().offset()));
using Huge = spio::tensor<float, axis<N>(1 << 20), axis<I>(1 << 20), axis<J>(1 << 10)>;
static_assert(Huge::size() == 1ll << 50 && Huge::num_bytes() == 1ll << 52);
static_assert(Huge()[N(1 << 19)][I(-1)][J(5)].offset() == (1ll << 49) - 1024 + 5);

// 13. A typed kernel compiles to the code of the raw one: tests/codegen.

// 14. What does not compile is visible to requires, so that a template can choose by it.
// refused.cpp has all that is refused.
template <class A, class B> constexpr int sum_or(A a, B b, int otherwise) {
    if constexpr (requires { (a + b).get(); }) {
        return (a + b).get();
    } else {
        return otherwise;
    }
}
static_assert(sum_or(I(1), I(2), -1) == 3 && sum_or(I(1), 2, -1) == -1 &&
              sum_or(I(1), K(2), -1) == -1);
