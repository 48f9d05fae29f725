// Cursors: positions in a tensor, held as logical coordinates until an address is asked for.
// SPDX-License-Identifier: Apache-2.0
//
// A base (dimension) is one that is no fold: K of fold<K, 8>. A position is a sum of terms, each of
// its own type, such as I(3) + fold<K, 8>(2), and of steps of one in each base. A place is an
// index, or anything that has coordinates. numbers<A...> is a list of ints.
#pragma once

#include "spio/base_cursor.h"

namespace spio {

template <class Data, class Layout, class... Ts> class cursor;

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

    Data* pointer_;
    Layout shape_;
    int_values<Room> position_ = {};
    typename Layout::steps moved_ = {};
};

// A position in a tensor: the sum of its terms and of its steps. Each type of subscript, such as I
// or fold<I, 8>, is a term with a value; Ts are their types. Subscripts add to it, in any order;
// the types of the terms determine how much arithmetic an address needs.
template <class Data, class Layout, class... Ts>
class cursor : public cursor_state<Data, Layout, room_for(sizeof...(Ts) + 1)> {
  public:
    using bases = typename Layout::bases;
    using state = cursor_state<Data, Layout, room_for(sizeof...(Ts) + 1)>;

    // The cursor moved by a place: an index, or coordinates. Dimensions that the tensor lacks have
    // no effect.
    template <place_among<bases> P> [[nodiscard]] constexpr auto operator[](P const& p) const {
        if constexpr (index<P>) {
            using term = term_for<P>;
            constexpr int number = position_of<term, Ts...>();
            if constexpr (number >= 0) {
                cursor moved = *this;
                moved.position_.items[number] += p.value;
                return moved;
            } else {
                using next = cursor<Data, Layout, Ts..., term>;
                auto moved = this->template with_room_of<typename next::state>();
                moved.position_.items[sizeof...(Ts)] = p.value;
                if constexpr (base_dimension<term>) {
                    moved.take_up_steps(sizeof...(Ts), Layout::template base<term>);
                }
                return next{moved};
            }
        } else {
            return moved_by_entries(p.coordinates());
        }
    }
    template <place AbsentDimension, class Cursor = cursor>
        requires(!place_among<AbsentDimension, bases>)
    cursor operator[](AbsentDimension const&) const = delete;
    template <integer NotADimension, class Cursor = cursor>
    cursor operator[](NotADimension) const = delete;

    // Moves the cursor itself. Steps in a base are added to the term that counts the base one by
    // one and without a bound. If all subscripts were folds or bounded values, there is none: then
    // each address asks whether there are steps. A subscript by zero before the first step, as in
    // [K(0)], makes such a term.
    template <place_among<bases> P> constexpr cursor& step(P const& p = P(1)) {
        if constexpr (index<P>) {
            step_by(p);
        } else {
            step_by_entries(p.coordinates());
        }
        return *this;
    }
    template <place AbsentDimension, class Cursor = cursor>
        requires(!place_among<AbsentDimension, bases>)
    cursor& step(AbsentDimension const&) = delete;
    template <integer NotADimension, class Cursor = cursor> cursor& step(NotADimension) = delete;

    constexpr Data* get() const {
        displacement const d =
            this->shape_.template offset<Ts...>(this->position_.items, this->moved_.items);
        return this->pointer_ + d.wide + d.narrow; // what was summed in 64 bits and in 32
    }
    static constexpr auto subscript_problem() { return name_subscript_problem<Layout, Ts...>(); }
    // The element there. Each dimension that has several positions needs a subscript, in whole
    // steps of its finest axis: what is meant to be 0 is written so, or as first().
    constexpr Data& operator*() const
        requires names_element<Layout, Ts...>
    {
        if constexpr (checks_at_run_time) check_bounds(bases());
        return *get();
    }
    constexpr Data* operator->() const
        requires names_element<Layout, Ts...>
    {
        if constexpr (checks_at_run_time) check_bounds(bases());
        return get();
    }
    template <class Cursor = cursor, class Position = subscript_problem_of<Cursor>>
        requires(!no_problem<Position>)
    Data& operator*() const = delete;
    template <class Cursor = cursor, class Position = subscript_problem_of<Cursor>>
        requires(!no_problem<Position>)
    Data* operator->() const = delete;

    // The distance of that address from the first element, in elements.
    constexpr typename Layout::offset_type offset() const {
        displacement const d =
            this->shape_.template offset<Ts...>(this->position_.items, this->moved_.items);
        return static_cast<typename Layout::offset_type>(d.wide + d.narrow);
    }

    // 0 <= position < extent in every base.
    constexpr bool inbounds() const { return inbounds_in(bases()); }
    constexpr cursor const& inbounds(bool& result) const {
        result = inbounds();
        return *this;
    }

    // The first of all elements at this position: 0 in the dimensions that have no subscript yet.
    constexpr auto first() const { return first_in(bases()); }

    // A cursor that holds the address, computed once.
    constexpr auto rebase() const { return base_cursor<Data, Layout, Ts...>(get(), this->shape_); }

    // The same position of the same elements, read-only.
    template <class ReadOnly>
        requires(!is_const<Data> && same<ReadOnly, cursor<Data const, Layout, Ts...>>)
    constexpr operator ReadOnly() const {
        typename ReadOnly::state same_place(this->pointer_, this->shape_);
        same_place.position_ = this->position_;
        same_place.moved_ = this->moved_;
        return ReadOnly{same_place};
    }

  private:
    template <class... Bases> constexpr auto first_in(mp_list<Bases...>) const {
        return moved_to(typename merged<mp_list<Ts...>, start_list<Bases>...>::type());
    }
    // The terms of a base: those that it has, or one that is always 0.
    template <class Base>
    using start_list = typename either<
        (same<base_of<Ts>, Base> || ...), mp_list<>,
        mp_list<bounded<fold<Base, Layout::table.finest_stride(Layout::template base<Base>)>, 1>>>::
        type;

    // The term of a subscript. A second one of the same type loses its bound: their sum may exceed
    // it.
    template <class X>
    using term_for = typename either<(same<X, Ts> || ...), dimension_of<X>, X>::type;
    // A list of one type, the term of X; it is empty if the tensor lacks the base of X.
    template <class X>
    using term_list =
        typename either<contains<bases, base_of<X>>, mp_list<term_for<X>>, mp_list<>>::type;

    // Moves by all entries of coordinates; moved_to has the types of all terms afterwards.
    template <class... Xs> constexpr auto moved_by_entries(coords<Xs...> const& c) const {
        return moved_to(typename merged<mp_list<Ts...>, term_list<Xs>...>::type(),
                        c.template digit<Xs>()...);
    }
    template <class... Us, class... Xs> constexpr auto moved_to(mp_list<Us...>, Xs... xs) const {
        using next = cursor<Data, Layout, Us...>;
        auto moved = this->template with_room_of<typename next::state>();
        (add<position_of<term_for<Xs>, Us...>(), term_for<Xs>>(moved, xs.value), ...);
        return next{moved};
    }
    // Adds a value to a term. A new one (whose number exceeds those of Ts) takes up the steps of
    // its base.
    template <int N, class Term, class State> static constexpr void add(State& moved, int value) {
        if constexpr (N >= 0) moved.position_.items[N] += value;
        if constexpr (N >= static_cast<int>(sizeof...(Ts)) && base_dimension<Term>) {
            moved.take_up_steps(N, Layout::template base<Term>);
        }
    }

    template <class... Xs> constexpr void step_by_entries(coords<Xs...> const& c) {
        (step_by(c.template digit<Xs>()), ...);
    }
    template <index X> constexpr void step_by(X x) {
        // The numbers of two terms, or -1: that of X without its bound, and that of its base.
        constexpr int unbounded = position_of<dimension_of<X>, Ts...>();
        constexpr int unfolded = position_of<base_of<X>, Ts...>();
        if constexpr (unbounded >= 0) {
            this->position_.items[unbounded] += x.value;
        } else if constexpr (unfolded >= 0) {
            this->position_.items[unfolded] += count<1>(x);
        } else if constexpr (contains<bases, base_of<X>>) {
            this->moved_.items[Layout::template base<base_of<X>>] += count<1>(x);
        }
    }

    template <class... Bases> constexpr bool inbounds_in(mp_list<Bases...>) const {
        return (true & ... & inbounds_of<Bases>(numbers_below<sizeof...(Ts)>()));
    }
    template <class Base, int... N> constexpr bool inbounds_of(numbers<N...> terms) const {
        constexpr int base = Layout::template base<Base>;
        int const extent = this->shape_.template extent_in_units<base>();
        return static_cast<unsigned>(position_in_units<Base>(terms)) <
               static_cast<unsigned>(extent);
    }
    // Bounds of terms are not relied on here, because this guards an access.
    template <class Base, int... N> constexpr int position_in_units(numbers<N...>) const {
        int const step = this->moved_.items[Layout::template base<Base>];
        return (step + ... +
                (this->position_.items[N] * (same<base_of<Ts>, Base> ? stride_of<Ts> : 0)));
    }

    template <class... Bases> constexpr void check_bounds(mp_list<Bases...>) const {
        (check_bounds_of<Bases>(numbers_below<sizeof...(Ts)>()), ...);
    }
    template <class Base, int... N> constexpr void check_bounds_of(numbers<N...> terms) const {
        constexpr int base = Layout::template base<Base>;
        if constexpr (!Layout::table.digits[Layout::table.coarsest(base)].is_ring) {
            if (!inbounds_of<Base>(terms)) {
                an_element_is_from_0_to_below_the_extent<Base>(
                    position_in_units<Base>(terms), this->shape_.template extent_in_units<base>());
            }
        }
    }
};

} // namespace spio
