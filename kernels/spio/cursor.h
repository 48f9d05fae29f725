// Cursors: positions in a tensor, held as logical coordinates until an address is asked for.
// SPDX-License-Identifier: Apache-2.0
//
// A base (dimension) is one that is no fold: K of fold<K, 8>. A position is a sum of terms, each of
// its own type, such as I(3) + fold<K, 8>(2), and of steps of one in each base. A place is an
// index, or anything that has coordinates. numbers<A...> is a list of ints. A function that is
// deleted is an error message: the names of its template parameters say what is wrong.
// checks_at_run_time is true in checked builds alone. numbers_below<n> is the list of 0 to n - 1.
// room_for(n) is n, rounded up, so that fewer types differ.
#pragma once

#include "spio/cursor_terms.h"

namespace spio {

template <class Data, class Layout, class... Ts> class base_cursor; // in spio/base_cursor.h

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
            using term = term_for<P, Ts...>;
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
            return cursor_terms::moved_by(*this, p.coordinates());
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
            cursor_terms::step(*this, p);
        } else {
            cursor_terms::step(*this, p.coordinates());
        }
        return *this;
    }
    template <place AbsentDimension, class Cursor = cursor>
        requires(!place_among<AbsentDimension, bases>)
    cursor& step(AbsentDimension const&) = delete;
    template <integer NotADimension, class Cursor = cursor> cursor& step(NotADimension) = delete;

    constexpr Data* get() const {
        displacement const d = this->shape_.template offset<Ts...>(
            numbers_below<Layout::num_axes>(), this->position_.items, this->moved_.items);
        return this->pointer_ + d.wide + d.narrow; // what was summed in 64 bits and in 32
    }
    // The element there. Each dimension that has several positions needs a subscript, in whole
    // steps of its finest axis: what is meant to be 0 is written so, or as first().
    constexpr Data& operator*() const
        requires names_element<Layout, Ts...>
    {
        if constexpr (checks_at_run_time) cursor_terms::check_bounds(*this, bases());
        return *get();
    }
    constexpr Data* operator->() const
        requires names_element<Layout, Ts...>
    {
        if constexpr (checks_at_run_time) cursor_terms::check_bounds(*this, bases());
        return get();
    }
    template <class Cursor = cursor, class Position = subscript_problem_of<Cursor>>
    Data& operator*() const = delete;
    template <class Cursor = cursor, class Position = subscript_problem_of<Cursor>>
    Data* operator->() const = delete;

    // The distance of that address from the first element, in elements.
    constexpr typename Layout::offset_type offset() const {
        displacement const d = this->shape_.template offset<Ts...>(
            numbers_below<Layout::num_axes>(), this->position_.items, this->moved_.items);
        return static_cast<typename Layout::offset_type>(d.wide + d.narrow);
    }

    // 0 <= position < extent in every base.
    constexpr bool inbounds() const { return cursor_terms::inbounds(*this, bases()); }
    constexpr cursor const& inbounds(bool& result) const {
        result = inbounds();
        return *this;
    }

    // The first of all elements at this position: 0 in the dimensions that have no subscript yet.
    constexpr auto first() const { return cursor_terms::first(*this, bases()); }

    // A cursor that holds the address, computed once. Without base_cursor.h, which has its class,
    // it is incomplete: a call does not compile.
    constexpr base_cursor<Data, Layout, Ts...> rebase() const { return {get(), this->shape_}; }

    // The same position of the same elements, read-only.
    template <class ReadOnly>
        requires(!is_const<Data> && same<ReadOnly, cursor<Data const, Layout, Ts...>>)
    constexpr operator ReadOnly() const {
        typename ReadOnly::state same_place(this->pointer_, this->shape_);
        same_place.position_ = this->position_;
        same_place.moved_ = this->moved_;
        return ReadOnly{same_place};
    }
};

} // namespace spio
