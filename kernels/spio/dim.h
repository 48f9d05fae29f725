// Dimensions: integers that remember what they count.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is a type, such as K for channels, that a struct of one's own or dimension<"K">
// makes; an index is a value of it. Different dimensions are not compared, and their sum is a pair
// of coordinates. A fold counts a dimension in blocks: fold<K, 8>(3) is K(24). A bounded index
// (fold.h has it) stays below a size that its type has. A refusal<D> in a function makes a call of
// it no constant expression, so that compilers name that function; checks_at_run_time is true in
// checked builds alone. numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/list.h"

namespace spio {

struct dim;
template <class Base, int Stride> struct folded;
template <class Dimension, int Size> struct bounded;

// A single value of one dimension: a dim, a fold of one, or a bounded one.
template <class T>
concept index = __is_base_of(dim, T) && !same<T, dim>;

// What an index counts: its base dimension, the number of base units in a step, and the number of
// steps below which its values stay (0: unknown). The numbers are static const, which only declares
// them: for each constexpr one NVRTC keeps a variable.
template <class T> struct index_traits {
    using base = T;
    static int const stride = 1;
    static int const size = 0;
};

template <index T> using base_of = typename index_traits<T>::base;
template <index T> inline constexpr int stride_of = index_traits<T>::stride;
template <index T> inline constexpr int bound_of = index_traits<T>::size;

template <class A, class B>
concept same_base = index<A> && index<B> && same<base_of<A>, base_of<B>>;

// A type that Dimension can be neither added to nor compared with: another dimension or a number.
template <class Other, class Dimension>
inline constexpr bool is_stranger =
    integer<Other> || same<Other, bool> || (index<Other> && !same_base<Other, Dimension>);
template <class Other, class Dimension>
concept stranger_to = is_stranger<Other, Dimension>;

template <class Base, int Stride> struct fold_of {
    using type = folded<Base, Stride>;
};
template <class Base> struct fold_of<Base, 1> {
    using type = Base;
};

// Dimension counted in blocks of Size. Folds of folds are folds of the base, and fold<K, 1> is K.
//     fold<K, 8>(3) == K(24)      fold<fold<K, 8>, 2> is fold<K, 16>
template <index Dimension, int Size>
    requires(Size > 0)
using fold = typename fold_of<base_of<Dimension>, stride_of<Dimension> * Size>::type;

// The dimension of an index without its bound, and the coarsest one that two indices share.
template <index T> using dimension_of = typename fold_of<base_of<T>, stride_of<T>>::type;
template <class A, same_base<A> B>
using meet = typename fold_of<base_of<A>, gcd(stride_of<A>, stride_of<B>)>::type;

// The value counted in steps of Stride, which must divide the stride of the index.
template <int Stride, index T>
    requires(stride_of<T> % Stride == 0)
constexpr int count(T x) {
    return x.value * (stride_of<T> / Stride);
}

// An error message: compilers name this function where its rule is broken.
template <class Dimension> constexpr void a_position_is_an_int(long long n) {
    [[maybe_unused]] refusal<Dimension> const numbers{n};
}
// The number as an int. A constant that is no int does not compile. Whether a constant is evaluated
// is asked last: NVRTC accepts no template argument for `auto` whose evaluation asks it.
template <class Dimension, integer T> constexpr int int_from(T n) {
    if (!is_int(n) && (checks_at_run_time || __builtin_is_constant_evaluated())) {
        a_position_is_an_int<Dimension>(static_cast<long long>(n));
    }
    return static_cast<int>(n);
}

// The base of every dimension:  struct K : spio::dim { using dim::dim; };
// Its friends are the arithmetic of all indices. Values of one base meet at the greatest stride
// that divides both. Values of two bases form coordinates. A number is not a dimension.
struct dim {
    int value = 0;

    constexpr dim() = default;
    template <integer T> constexpr explicit dim(T n) : value(int_from<dim>(n)) {}
    // Error messages, which a dimension inherits: another dimension, also one derived from it,
    // matches both better than the copy constructor and neither better than the other. Such a call
    // names the two dimensions in one line; that of a deleted constructor would name only one.
    template <index NotThatDimension>
        requires same<base_of<NotThatDimension>, NotThatDimension>
    dim(NotThatDimension const&) = delete;
    template <index NorOneDerivedFromIt, int = 0>
        requires same<base_of<NorOneDerivedFromIt>, NorOneDerivedFromIt>
    dim(NorOneDerivedFromIt const&) = delete;

    constexpr int get() const { return value; }

    template <class A, same_base<A> B> friend constexpr auto operator+(A a, B b) {
        using sum = meet<A, B>;
        return sum(count<stride_of<sum>>(a) + count<stride_of<sum>>(b));
    }
    template <class A, same_base<A> B> friend constexpr auto operator-(A a, B b) {
        using difference = meet<A, B>;
        return difference(count<stride_of<difference>>(a) - count<stride_of<difference>>(b));
    }
    template <index A> friend constexpr auto operator-(A a) { return dimension_of<A>(-a.value); }

    template <index A, index B>
        requires(!same_base<A, B>)
    friend constexpr auto operator+(A a, B b) {
        return make_coordinates(a, b);
    }
    template <index A, index B>
        requires(!same_base<A, B>)
    friend constexpr auto operator-(A a, B b) {
        return make_coordinates(a, -b);
    }

    // A number scales a dimension; division and remainder round down.
    template <index A, integer N> friend constexpr auto operator*(A a, N n) {
        return dimension_of<A>(a.value * int_from<dimension_of<A>>(n));
    }
    template <index A, integer N> friend constexpr auto operator*(N n, A a) { return a * n; }
    template <index A, integer N> friend constexpr auto operator/(A a, N n) {
        return dimension_of<A>(floor_quotient(a.value, n));
    }
    template <class A, same_base<A> B> friend constexpr auto operator%(A a, B b) {
        using rest = meet<A, B>;
        return rest(floor_modulo(count<stride_of<rest>>(a), count<stride_of<rest>>(b)));
    }

    // In place, where the sum is of the same type: nothing is rounded and no bound is broken.
    template <class A, same_base<A> B>
        requires same<decltype(A() + B()), A>
    friend constexpr A& operator+=(A& a, B b) {
        return a = a + b;
    }
    template <class A, same_base<A> B>
        requires same<decltype(A() - B()), A>
    friend constexpr A& operator-=(A& a, B b) {
        return a = a - b;
    }
    template <index A>
        requires(bound_of<A> == 0)
    friend constexpr A& operator++(A& a) {
        ++a.value;
        return a;
    }
    template <index A>
        requires(bound_of<A> == 0)
    friend constexpr A& operator--(A& a) {
        --a.value;
        return a;
    }
    template <index A>
        requires(bound_of<A> == 0)
    friend constexpr A operator++(A& a, int) {
        A const previous = a;
        ++a.value;
        return previous;
    }
    template <index A>
        requires(bound_of<A> == 0)
    friend constexpr A operator--(A& a, int) {
        A const previous = a;
        --a.value;
        return previous;
    }

    template <class A, same_base<A> B> friend constexpr bool operator==(A a, B b) {
        return count<stride_of<meet<A, B>>>(a) == count<stride_of<meet<A, B>>>(b);
    }
    template <class A, same_base<A> B> friend constexpr bool operator<(A a, B b) {
        return count<stride_of<meet<A, B>>>(a) < count<stride_of<meet<A, B>>>(b);
    }
    template <class A, same_base<A> B> friend constexpr bool operator>(A a, B b) { return b < a; }
    template <class A, same_base<A> B> friend constexpr bool operator<=(A a, B b) {
        return !(b < a);
    }
    template <class A, same_base<A> B> friend constexpr bool operator>=(A a, B b) {
        return !(a < b);
    }

    // The deleted operators below are error messages: the names of their template parameters say
    // what is wrong, and the arguments are the dimensions in question.
    template <index Dimension, stranger_to<Dimension> NotThatDimension>
    friend bool operator==(Dimension, NotThatDimension) = delete;
    // For <, >, <= and >=, whichever side is the dimension.
    template <index Dimension, stranger_to<Dimension> NotThatDimension>
    friend bool operator<=>(Dimension, NotThatDimension) = delete;

    template <index Dimension, integer NotADimension>
    friend Dimension operator+(Dimension, NotADimension) = delete;
    template <integer NotADimension, index Dimension>
    friend Dimension operator+(NotADimension, Dimension) = delete;
    template <index Dimension, integer NotADimension>
    friend Dimension operator-(Dimension, NotADimension) = delete;
    template <integer NotADimension, index Dimension>
    friend Dimension operator-(NotADimension, Dimension) = delete;
    template <index Dimension, stranger_to<Dimension> NotThatDimension>
    friend Dimension operator%(Dimension, NotThatDimension) = delete;
    template <index Dimension, index NoProductWithADimension>
    friend Dimension operator*(Dimension, NoProductWithADimension) = delete;
    template <index Dimension, stranger_to<Dimension> NotThatDimension>
    friend Dimension& operator+=(Dimension&, NotThatDimension) = delete;
    template <index Dimension, stranger_to<Dimension> NotThatDimension>
    friend Dimension& operator-=(Dimension&, NotThatDimension) = delete;
    template <index Dimension, same_base<Dimension> FinerThanTheDimension>
        requires(!same<decltype(Dimension() + FinerThanTheDimension()), Dimension>)
    friend Dimension& operator+=(Dimension&, FinerThanTheDimension) = delete;
    template <index Dimension, same_base<Dimension> FinerThanTheDimension>
        requires(!same<decltype(Dimension() - FinerThanTheDimension()), Dimension>)
    friend Dimension& operator-=(Dimension&, FinerThanTheDimension) = delete;
};

// The name of a dimension, as a template argument.
template <int Size> struct dimension_name {
    char text[Size] = {};
    constexpr dimension_name(char const (&name)[Size]) {
        for (int n = 0; n < Size; ++n) text[n] = name[n];
    }
};

// The type behind dimension<"K">, which has its letters: templates of one with a string, which is
// an object, would cost NVRTC twice as much.
template <char... Letters> struct named final : dim {
    using dim::dim;
};
template <class Positions> struct letters;
template <int... N> struct letters<numbers<N...>> {
    template <dimension_name Name> using spell = named<Name.text[N]...>;
};

// A dimension in one line:  using K = spio::dimension<"K">;
// The same name is the same dimension, wherever it is written. One that a part of a program keeps
// to itself is a struct:  struct K : spio::dim { using dim::dim; };
template <dimension_name Name>
using dimension = typename letters<numbers_below<sizeof(Name) - 1>>::template spell<Name>;

} // namespace spio
