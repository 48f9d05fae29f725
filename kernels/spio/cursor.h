// Cursors: a place in a tensor, kept as logical coordinates until an address is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/layout.h"

namespace spio {

template <class Data, class Layout, class... Ts> class cursor;

// A place committed to a pointer. It moves only where moving means adding to the pointer, wherever
// it is: by whole blocks of the coarsest axis of a base. Anything else does not compile.
template <class Data, class Layout> class base_cursor {
  public:
    using data_type = Data;
    using layout_type = Layout;

    // Whether D moves by whole blocks.
    template <class D>
    static constexpr bool moves_freely = [] {
        if constexpr (index_among<D, typename Layout::bases>) {
            constexpr int unit = Layout::table.free_stride(Layout::template base<base_of<D>>);
            return unit > 0 && stride_of<D> % (unit > 0 ? unit : 1) == 0;
        } else {
            return false;
        }
    }();

    constexpr base_cursor(Data* pointer, Layout const& shape) : pointer_(pointer), shape_(shape) {}

    template <index D>
        requires moves_freely<D>
    constexpr base_cursor& step(D d = D(1)) {
        constexpr int base = Layout::template base<base_of<D>>;
        constexpr digit_row top = Layout::table.digits[Layout::table.coarsest(base)];
        pointer_ += count<top.is.stride>(d) * shape_.template memory_stride<top.axis>();
        return *this;
    }
    template <class NoWholeBlocksOfAnAxis, class Tensor = base_cursor>
        requires(!moves_freely<NoWholeBlocksOfAnAxis>)
    base_cursor& step(NoWholeBlocksOfAnAxis) = delete;

    template <index D>
        requires moves_freely<D>
    constexpr base_cursor operator[](D d) const {
        return base_cursor(*this).step(d);
    }
    template <class NoWholeBlocksOfAnAxis, class Tensor = base_cursor>
        requires(!moves_freely<NoWholeBlocksOfAnAxis>)
    base_cursor operator[](NoWholeBlocksOfAnAxis) const = delete;

    constexpr Data* get() const { return pointer_; }
    constexpr Data& operator*() const { return *pointer_; }
    constexpr Data* operator->() const { return pointer_; }

  private:
    Data* pointer_;
    Layout shape_;
};

// A tensor at a position. Subscripts add to the position, in any order; the types of what came in
// tell how much arithmetic its address needs.
template <class Data, class Layout, class... Ts> class cursor {
  public:
    using data_type = Data;
    using layout_type = Layout;
    using bases = typename Layout::bases;

    using terms = values<sizeof...(Ts)>;
    using steps = typename Layout::steps;

    constexpr cursor(Data* pointer, Layout const& shape, terms const& position, steps const& moved)
        : pointer_(pointer), shape_(shape), position_(position), moved_(moved) {}

    // The cursor moved by a place. What the tensor has of it takes effect, the rest does not.
    template <place P>
        requires meets<bases_in<P>, bases>
    [[nodiscard]] constexpr auto operator[](P const& p) const {
        if constexpr (index<P>) {
            return moved_by(p);
        } else {
            return moved_by_entries(p.coordinates());
        }
    }
    template <place AbsentDimension, class Cursor = cursor>
        requires(!meets<bases_in<AbsentDimension>, bases>)
    cursor operator[](AbsentDimension const&) const = delete;
    template <integer NotADimension, class Cursor = cursor>
    cursor operator[](NotADimension) const = delete;

    // The same in place. Where digits of a base came in without an unbounded value of it, a first
    // subscript by zero, as in [K(0)], spares each address a choice.
    template <place P>
        requires meets<bases_in<P>, bases>
    constexpr cursor& step(P const& p = P(1)) {
        if constexpr (index<P>) {
            step_by(p);
        } else {
            step_by_entries(p.coordinates());
        }
        return *this;
    }
    template <place AbsentDimension, class Cursor = cursor>
        requires(!meets<bases_in<AbsentDimension>, bases>)
    cursor& step(AbsentDimension const&) = delete;
    template <integer NotADimension, class Cursor = cursor> cursor& step(NotADimension) = delete;

    constexpr Data* get() const {
        displacement const d = shape_.template offset<Ts...>(position_.of, moved_.of);
        return pointer_ + d.wide + d.narrow;
    }
    constexpr Data& operator*() const { return *get(); }
    constexpr Data* operator->() const { return get(); }

    // How far that is from the first element, in elements.
    constexpr typename Layout::offset_type offset() const {
        displacement const d = shape_.template offset<Ts...>(position_.of, moved_.of);
        return static_cast<typename Layout::offset_type>(d.wide + d.narrow);
    }

    // 0 <= position < extent in every base.
    constexpr bool inbounds() const { return inbounds_in(bases()); }
    constexpr cursor const& inbounds(bool& result) const {
        result = inbounds();
        return *this;
    }

    // The address, computed once.
    constexpr auto rebase() const { return base_cursor<Data, Layout>(get(), shape_); }

    constexpr Layout const& shape() const { return shape_; }
    constexpr auto extents() const { return shape_.extents(); }
    template <index D>
        requires(Layout::template has<D>)
    constexpr D size() const {
        return shape_.template size<D>();
    }
    template <index NoAxisOfTheTensor, class Cursor = cursor>
        requires(!Layout::template has<NoAxisOfTheTensor>)
    NoAxisOfTheTensor size() const = delete;
    template <index D>
        requires contains<bases, base_of<D>>
    constexpr D extent() const {
        return shape_.template extent<D>();
    }
    template <index AbsentDimension, class Cursor = cursor>
        requires(!contains<bases, base_of<AbsentDimension>>)
    AbsentDimension extent() const = delete;

  private:
    // A term of its own for each type that comes in; equal ones add up, without their bound.
    template <class X>
    using term_for = typename either<(same<X, Ts> || ...), dimension_of<X>, X>::type;
    template <class X>
    using taken =
        typename either<contains<bases, base_of<X>>, mp_list<term_for<X>>, mp_list<>>::type;

    template <class... Xs> constexpr auto moved_by_entries(coords<Xs...> const& c) const {
        return moved_by(c.template get<Xs>()...);
    }
    template <class... Xs> constexpr auto moved_by(Xs... xs) const {
        using position = typename merged<mp_list<Ts...>, taken<Xs>...>::type;
        return moved_to(position(), numbers_below<sizeof...(Ts)>(), xs...);
    }
    template <class... Us, int... N, class... Xs>
    constexpr auto moved_to(mp_list<Us...>, numbers<N...>, Xs... xs) const {
        values<sizeof...(Us)> position = {{position_.of[N]...}};
        steps moved = moved_;
        (add<position_of<term_for<Xs>, Us...>(), Xs>(position, moved, xs.value), ...);
        return cursor<Data, Layout, Us...>(pointer_, shape_, position, moved);
    }
    template <int N, class X, int Count>
    static constexpr void add(values<Count>& position, steps& moved, int value) {
        if constexpr (N >= 0) position.of[N] += value;
        if constexpr (N >= static_cast<int>(sizeof...(Ts)) && same<X, base_of<X>>) {
            // From now on this term takes up steps, those of the past too.
            constexpr int base = Layout::template base<X>;
            position.of[N] += moved.of[base];
            moved.of[base] = 0;
        }
    }

    template <class... Xs> constexpr void step_by_entries(coords<Xs...> const& c) {
        (step_by(c.template get<Xs>()), ...);
    }
    template <index X> constexpr void step_by(X x) {
        constexpr int sum = position_of<dimension_of<X>, Ts...>();
        constexpr int whole = position_of<base_of<X>, Ts...>();
        if constexpr (sum >= 0) {
            position_.of[sum] += x.value;
        } else if constexpr (whole >= 0) {
            position_.of[whole] += count<1>(x);
        } else if constexpr (contains<bases, base_of<X>>) {
            moved_.of[Layout::template base<base_of<X>>] += count<1>(x);
        }
    }

    template <class... Bases> constexpr bool inbounds_in(mp_list<Bases...>) const {
        return (... & inbounds_of<Bases>(numbers_below<sizeof...(Ts)>()));
    }
    template <class Base, int... N> constexpr bool inbounds_of(numbers<N...>) const {
        constexpr int base = Layout::template base<Base>;
        int const extent = shape_.template extent_in_units<base>();
        // No bound of a term is trusted here: this is the test that guards an access.
        int const position = (moved_.of[base] + ... + (position_.of[N] * unit_of<Ts, Base>));
        return static_cast<unsigned>(position) < static_cast<unsigned>(extent);
    }

    template <class, class, class...> friend class cursor;

    Data* pointer_;
    Layout shape_;
    terms position_;
    steps moved_;
};

} // namespace spio
