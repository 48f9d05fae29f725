// The terms of cursors: what subscripts and steps do with their values and types.
// SPDX-License-Identifier: Apache-2.0
//
// A base (dimension) is one that is no fold: K of fold<K, 8>. A position is a sum of terms, each of
// its own type, such as I(3) + fold<K, 8>(2), and of steps of one in each base. A cursor is a
// position in a tensor. numbers<A...> is a list of ints. A function that is deleted is an error
// message: the names of its template parameters say what is wrong. A refusal<D> in a function makes
// a call of it no constant expression, so that compilers name that function. Of an index type T,
// such as fold<K, 8>, base_of<T> is the dimension that it counts and stride_of<T> the size of its
// steps. numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/subscripts.h"

namespace spio {

template <class Data, class Layout, class... Ts> class cursor;
struct cursor_terms;

template <class Dimension>
constexpr void an_element_is_from_0_to_below_the_extent(int position, int extent) {
    [[maybe_unused]] refusal<Dimension> const numbers{position, extent};
}

// What cursors in a layout have in common: a pointer to the first element, the values of the terms
// without their types, and the steps in each base that no term has taken up. Room is the number of
// terms, rounded up, so that cursors of some more terms are of one class.
template <class Data, class Layout, int Room> class cursor_state {
  public:
    using data_type = Data;
    using layout_type = Layout;
    using bases = typename Layout::bases;

    constexpr cursor_state(Data* pointer, Layout const& shape) : pointer_(pointer), shape_(shape) {}
    // A cursor is no state: in a braced list it would begin a member that has other terms.
    template <class... TermsOfAnotherCursor>
    cursor_state(cursor<Data, Layout, TermsOfAnotherCursor...> const&) = delete;

    constexpr Layout const& shape() const { return shape_; }
    constexpr auto extents() const { return shape_.extents(); }
    template <index D>
        requires(Layout::template has_axis<D>)
    constexpr dimension_of<D> size() const {
        return shape_.template size<D>();
    }
    template <index NoAxisOfTheTensor, class Cursor = cursor_state>
        requires(!Layout::template has_axis<NoAxisOfTheTensor>)
    NoAxisOfTheTensor size() const = delete;
    template <index D>
        requires contains<bases, base_of<D>>
    constexpr dimension_of<D> extent() const {
        return shape_.template extent<D>();
    }
    template <index AbsentDimension, class Cursor = cursor_state>
        requires(!contains<bases, base_of<AbsentDimension>>)
    AbsentDimension extent() const = delete;

  private:
    // Adds the steps of a base to a new term of the base itself, which has no bound, and sets them
    // to zero: an address then need not test whether there are steps.
    constexpr void take_up_steps(int term, int base) {
        position_.items[term] += moved_.items[base];
        moved_.items[base] = 0;
    }
    // The same state with as much room, or more.
    template <class State> constexpr State with_room_of() const {
        if constexpr (same<State, cursor_state>) {
            return *this;
        } else {
            State result(pointer_, shape_);
            for (int n = 0; n < Room; ++n) result.position_.items[n] = position_.items[n];
            result.moved_ = moved_;
            return result;
        }
    }

    template <class, class, class...> friend class cursor;
    template <class, class, int> friend class cursor_state;
    friend struct cursor_terms;

    Data* pointer_;
    Layout shape_;
    int_values<Room> position_ = {};
    typename Layout::steps moved_ = {};
};

// The term of a subscript after those of types Ts. A second one of the same type loses its bound:
// their sum may exceed it.
template <class X, class... Ts> using term_for = either<(same<X, Ts> || ...), dimension_of<X>, X>;

// The types of the terms of a position.
template <class... Ts> struct term_types {
    template <class X> using term = term_for<X, Ts...>;
    // A list of one type, the term of X; it is empty if the layout lacks the base of X.
    template <class Layout, class X>
    using term_list =
        either<contains<typename Layout::bases, base_of<X>>, mp_list<term<X>>, mp_list<>>;
    // The terms of a base: those that it has, or one that is always 0.
    template <class Layout, class Base>
    using start_list = either<
        (same<base_of<Ts>, Base> || ...), mp_list<>,
        mp_list<bounded<fold<Base, Layout::table.finest_stride(Layout::template base<Base>)>, 1>>>;
};

// What cursors do with the types of their terms. These functions are no members of the cursors: a
// compiler declares all members of a class again for each cursor that a kernel makes.
struct cursor_terms {
    // The cursor moved by all entries of coordinates.
    template <class Data, class Layout, class... Ts, class... Xs>
    static constexpr auto moved_by(cursor<Data, Layout, Ts...> const& c,
                                   coords<Xs...> const& change) {
        using terms =
            typename merged<mp_list<Ts...>,
                            typename term_types<Ts...>::template term_list<Layout, Xs>...>::type;
        return moved_to(c, terms(), change.template digit<Xs>()...);
    }
    // The first of all elements at the position.
    template <class Data, class Layout, class... Ts, class... Bases>
    static constexpr auto first(cursor<Data, Layout, Ts...> const& c, mp_list<Bases...>) {
        using terms = typename merged<
            mp_list<Ts...>,
            typename term_types<Ts...>::template start_list<Layout, Bases>...>::type;
        return moved_to(c, terms());
    }
    // Adds to the steps of a base, or to the term that counts it without a bound. A base that the
    // layout lacks has none.
    template <class Data, class Layout, class... Ts, index X>
    static constexpr void step(cursor<Data, Layout, Ts...>& c, X x) {
        // The numbers of two terms, or -1: that of X without its bound, and that of its base.
        constexpr int unbounded = position_of<dimension_of<X>, Ts...>();
        constexpr int unfolded = position_of<base_of<X>, Ts...>();
        if constexpr (unbounded >= 0) {
            c.position_.items[unbounded] += x.value;
        } else if constexpr (unfolded >= 0) {
            c.position_.items[unfolded] += count<1>(x);
        } else if constexpr (contains<typename Layout::bases, base_of<X>>) {
            c.moved_.items[Layout::template base<base_of<X>>] += count<1>(x);
        }
    }
    template <class Data, class Layout, class... Ts, class... Xs>
    static constexpr void step(cursor<Data, Layout, Ts...>& c, coords<Xs...> const& change) {
        (step(c, change.template digit<Xs>()), ...);
    }

    template <class Data, class Layout, class... Ts, class... Bases>
    static constexpr bool inbounds(cursor<Data, Layout, Ts...> const& c, mp_list<Bases...>) {
        return (true & ... & is_inbounds<Bases>(c, numbers_below<sizeof...(Ts)>()));
    }
    template <class Data, class Layout, class... Ts, class... Bases>
    static constexpr void check_bounds(cursor<Data, Layout, Ts...> const& c, mp_list<Bases...>) {
        (check_bounds_of<Bases>(c, numbers_below<sizeof...(Ts)>()), ...);
    }

  private:
    // The cursor with terms Us, which begin with its own, moved by values.
    template <class Data, class Layout, class... Ts, class... Us, class... Xs>
    static constexpr auto moved_to(cursor<Data, Layout, Ts...> const& c, mp_list<Us...>, Xs... xs) {
        using next = cursor<Data, Layout, Us...>;
        using types = term_types<Ts...>;
        auto moved = c.template with_room_of<typename next::state>();
        (add<position_of<typename types::template term<Xs>, Us...>(), sizeof...(Ts),
             typename types::template term<Xs>>(moved, xs.value),
         ...);
        return next{moved};
    }
    // Adds a value to the term N. A new one takes up the steps of its base.
    template <int N, int OldTerms, class Term, class State>
    static constexpr void add(State& moved, int value) {
        if constexpr (N >= 0) moved.position_.items[N] += value;
        if constexpr (N >= OldTerms && base_dimension<Term>) {
            moved.take_up_steps(N, State::layout_type::template base<Term>);
        }
    }

    template <class Base, class Data, class Layout, class... Ts, int... N>
    static constexpr bool is_inbounds(cursor<Data, Layout, Ts...> const& c, numbers<N...> terms) {
        constexpr int base = Layout::template base<Base>;
        int const extent = c.shape().template extent_in_units<base>();
        return static_cast<unsigned>(position_in_units<Base>(c, terms)) <
               static_cast<unsigned>(extent);
    }
    // Bounds of terms are not relied on here, because this guards an access.
    template <class Base, class Data, class Layout, class... Ts, int... N>
    static constexpr int position_in_units(cursor<Data, Layout, Ts...> const& c, numbers<N...>) {
        int const step = c.moved_.items[Layout::template base<Base>];
        return (step + ... +
                (c.position_.items[N] * (same<base_of<Ts>, Base> ? stride_of<Ts> : 0)));
    }
    template <class Base, class Data, class Layout, class... Ts, int... N>
    static constexpr void check_bounds_of(cursor<Data, Layout, Ts...> const& c,
                                          numbers<N...> terms) {
        constexpr int base = Layout::template base<Base>;
        if constexpr (!Layout::table.digits[Layout::table.coarsest(base)].is_ring) {
            if (!is_inbounds<Base>(c, terms)) {
                an_element_is_from_0_to_below_the_extent<Base>(
                    position_in_units<Base>(c, terms), c.shape().template extent_in_units<base>());
            }
        }
    }
};

} // namespace spio
