// Coordinates against maps: addition, comparison, normalization, dropping and renaming.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A tally counts checks,
// and reports the first failure of each law; dice draw random numbers. The oracle computes the same
// by brute force. conclude() prints how much was checked, and fails the test if a law did not hold.
// rounds(n) is n unless SPIO_ROUNDS scales it.
#include "tally.h"

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "model.h"

import spio.dims;

namespace {

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
template <int Stride> using I_ = spio::fold<I, Stride>;
template <int Stride> using K_ = spio::fold<K, Stride>;

// The value of each base that coordinates have, without folds.
using units = std::map<char, long long>;

template <class Base>
constexpr char name = std::is_same_v<Base, I>   ? 'I'
                      : std::is_same_v<Base, J> ? 'J'
                      : std::is_same_v<Base, K> ? 'K'
                                                : 'N';

// A kind of coordinates, and how to draw one with the same values in a map.
template <class... Ts> struct kind {
    using type = spio::coords<Ts...>;

    static std::pair<type, units> draw(dice& random) {
        units sum;
        auto const draw_value = [&]<class T>(T) {
            int const value = spio::bound_of<T> > 0 ? random.draw_below(spio::bound_of<T>)
                                                    : static_cast<int>(random.draw_between(-9, 9));
            sum[name<spio::base_of<T>>] += 1LL * value * spio::stride_of<T>;
            return T(value);
        };
        return {type{draw_value(Ts())...}, sum};
    }
};

// Adds the total of a base to the map, if the coordinates have the base.
template <class Base, class C> void take(units& result, C const& c) {
    if constexpr (requires { c.template total<Base>(); }) {
        result[name<Base>] = spio::unfold(c.template total<Base>()).get();
    }
}
// The totals of coordinates in each base, in base units.
template <class C> units units_of(C const& c) {
    units result;
    take<I>(result, c);
    take<J>(result, c);
    take<K>(result, c);
    take<N>(result, c);
    return result;
}

// Whether the relation holds for every base that both have.
template <class Relation> bool wherever_shared(units const& a, units const& b, Relation relation) {
    for (auto const& [base, value] : a) {
        if (b.contains(base) && !relation(value, b.at(base))) return false;
    }
    return true;
}

// The sum (sign 1) or the difference (-1).
units add(units a, units const& b, int sign) {
    for (auto const& [base, value] : b) a[base] += sign * value;
    return a;
}

// The bases of coordinates in the order in which the first entry of each stands.
template <class A> std::string order_of_bases(A const&) {
    return []<template <class...> class List, class... Bases>(List<Bases...>) {
        return std::string{name<Bases>...};
    }(typename A::bases());
}
// The step in which a base is counted when its entries are added.
template <class A> long long unit_of(A const& a, char base) {
    return [&]<template <class...> class List, class... Bases>(List<Bases...>) {
        return (0LL + ... +
                (name<Bases> == base ? spio::stride_of<decltype(a.template total<Bases>())> : 0));
    }(typename A::bases());
}
// Whether a comes before b: the first base in which they differ decides.
template <class A> bool is_first(A const& a, units const& a_units, units const& b_units) {
    for (char const base : order_of_bases(a)) {
        if (a_units.at(base) != b_units.at(base)) return a_units.at(base) < b_units.at(base);
    }
    return false;
}

// Checks the laws of pairs of coordinates of two kinds.
template <class A, class B> void judge(tally& counts, dice& random) {
    for (int trial = 0; trial < rounds(300); ++trial) {
        auto const [a, a_units] = A::draw(random);
        auto const [b, b_units] = B::draw(random);
        counts.check(units_of(a + b) == add(a_units, b_units, /*sign=*/1), "a sum, base by base");
        counts.check(units_of(a - b) == add(a_units, b_units, /*sign=*/-1),
                     "a difference, base by base");
        bool shared = false;
        for (auto const& entry : a_units) shared |= b_units.contains(entry.first);
        constexpr bool comparable = requires { a < b; };
        counts.check(comparable == shared, "comparison needs a shared base");
        if constexpr (comparable) {
            auto const agrees = [&](auto relation) {
                return wherever_shared(a_units, b_units, relation);
            };
            counts.check((a == b) == agrees([](auto x, auto y) { return x == y; }), "==");
            counts.check((a != b) == !agrees([](auto x, auto y) { return x == y; }), "!=");
            counts.check(bool(a < b) == agrees([](auto x, auto y) { return x < y; }), "<");
            counts.check((a <= b) == agrees([](auto x, auto y) { return x <= y; }), "<=");
            counts.check(bool(a > b) == agrees([](auto x, auto y) { return x > y; }), ">");
            counts.check((a >= b) == agrees([](auto x, auto y) { return x >= y; }), ">=");
            // Bases that only one has keep their values.
            auto const joined = [&](auto pick) {
                auto result = add(a_units, /*b=*/{}, /*sign=*/1);
                for (auto const& [base, value] : b_units) {
                    result[base] = result.contains(base) ? pick(result[base], value) : value;
                }
                return result;
            };
            auto const least = [](auto x, auto y) { return std::min(x, y); };
            auto const most = [](auto x, auto y) { return std::max(x, y); };
            counts.check(units_of(min(a, b)) == joined(least), "min()");
            counts.check(units_of(max(a, b)) == joined(most), "max()");
        }
    }
}

// Checks the laws of coordinates of one kind.
template <class A> void judge_alone(tally& counts, dice& random) {
    for (int trial = 0; trial < rounds(300); ++trial) {
        auto const [a, a_units] = A::draw(random);
        counts.check(units_of(a) == a_units, "the total of a base");
        counts.check(units_of(a.normalize()) == a_units, "normalize()");
        counts.check(std::size_t(a.normalize().num_dims()) == a_units.size(), "one entry a base");
        counts.check(units_of(-a) == add(/*a=*/{}, a_units, /*sign=*/-1), "unary minus");
        counts.check(units_of(a * 3) == add(add(a_units, a_units, /*sign=*/1), a_units, /*sign=*/1),
                     "a multiple");
        auto quotient = a_units;
        for (auto& [base, value] : quotient) {
            auto const unit = unit_of(a, base);
            value = oracle::floor_quotient(value / unit, 3) * unit;
        }
        counts.check(units_of(a / 3) == quotient, "a quotient");
        auto const [b, b_units] = A::draw(random);
        counts.check(spio::lexicographic()(a, b) == is_first(a, a_units, b_units), "lexicographic");
        counts.check(a != b || spio::place_hash()(a) == spio::place_hash()(b),
                     "hashes of equal places");
        if constexpr (requires { a.template drop<K>(); }) {
            auto rest = a_units;
            rest.erase('K');
            counts.check(units_of(a.template drop<K>()) == rest, "drop()");
        } else {
            counts.check(!a_units.contains('K'), "drop() of an absent base");
        }
        // If both bases are present, entries of one cannot be renamed to the other.
        if (a_units.contains('K') && !a_units.contains('N')) {
            auto renamed = a_units;
            renamed.erase('K');
            renamed['N'] = a_units.at('K');
            counts.check(units_of(a.template cast<K, N>()) == renamed, "cast()");
        }
    }
}

template <class... Kinds> void judge_all(tally& counts, dice& random) {
    auto const with_all = [&]<class A>(A) { (judge<A, Kinds>(counts, random), ...); };
    (with_all(Kinds()), ...);
    (judge_alone<Kinds>(counts, random), ...);
    counts.conclude("coordinates: " + std::to_string(sizeof...(Kinds) * sizeof...(Kinds)) +
                    " pairs of kinds, " + std::to_string(counts.tried) + " checks");
}

} // namespace

TEST_CASE("coordinates add and compare like maps from bases to values") {
    tally counts;
    dice random(/*salt=*/6);
    judge_all<kind<I>, kind<K_<8>>, kind<I, J>, kind<K, I_<4>>, kind<K_<6>, K_<4>, J>,
              kind<I_<8>, K, I, K_<16>>, kind<spio::bounded<K_<8>, 4>, spio::bounded<K, 8>>,
              kind<J, spio::bounded<I, 16>>, kind<K_<3>, J, spio::bounded<I_<6>, 5>, I_<9>>>(
        counts, random);
}
