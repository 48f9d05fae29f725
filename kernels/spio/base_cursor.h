// Base cursors: positions reduced to a pointer, which whole blocks move.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts blocks of a base of some size, the coarsest one the largest blocks. A cursor is a position
// in a tensor, to which subscripts are added. A function that is deleted is an error message: the
// names of its template parameters say what is wrong. Of an index type T, such as fold<K, 8>,
// base_of<T> is the dimension that it counts and stride_of<T> the size of its steps.
#pragma once

#include "spio/subscripts.h"
#include "spio/table_facts.h"

namespace spio {

// A position reduced to a pointer. It moves only where a move adds a constant to the pointer at
// every position: by whole blocks of the coarsest axis of a base. Other moves do not compile.
// Ts are the types of its subscripts so far.
template <class Data, class Layout, class... Ts> class base_cursor {
  public:
    using data_type = Data;
    using layout_type = Layout;

    // Whether every move by a D adds the same number to the pointer: D counts whole blocks of the
    // base's coarsest axis. free_stride() is the size of such a block in units of the base; 0:
    // there is none.
    template <class D>
    static constexpr bool moves_freely = [] {
        if constexpr (index_among<D, typename Layout::bases>) {
            constexpr int unit = free_stride(Layout::table, Layout::template base<base_of<D>>);
            return unit > 0 && stride_of<D> % (unit > 0 ? unit : 1) == 0;
        } else {
            return false;
        }
    }();

    constexpr base_cursor(Data* pointer, Layout const& shape) : pointer_(pointer), shape_(shape) {}

    template <index D>
        requires moves_freely<D>
    constexpr base_cursor& step(D d = D(1)) {
        constexpr int base = Layout::template base<base_of<D>>; // its number in the layout
        constexpr digit_row top = Layout::table.digits[Layout::table.coarsest(base)]; // its axis
        pointer_ += count<top.stride>(d) * shape_.template memory_stride<top.axis>();
        return *this;
    }
    template <integer NotADimension, class Tensor = base_cursor>
    base_cursor& step(NotADimension) = delete;
    template <class NoWholeBlocksOfTheCoarsestAxis, class Tensor = base_cursor>
        requires(!integer<NoWholeBlocksOfTheCoarsestAxis> &&
                 !moves_freely<NoWholeBlocksOfTheCoarsestAxis>)
    base_cursor& step(NoWholeBlocksOfTheCoarsestAxis) = delete;

    template <index D>
        requires moves_freely<D>
    constexpr auto operator[](D d) const {
        using next = either<(same<base_of<Ts>, base_of<D>> || ...), base_cursor,
                            base_cursor<Data, Layout, Ts..., D>>;
        return next(pointer_, shape_).step(d);
    }
    template <integer NotADimension, class Tensor = base_cursor>
    base_cursor operator[](NotADimension) const = delete;
    template <class NoWholeBlocksOfTheCoarsestAxis, class Tensor = base_cursor>
        requires(!integer<NoWholeBlocksOfTheCoarsestAxis> &&
                 !moves_freely<NoWholeBlocksOfTheCoarsestAxis>)
    base_cursor operator[](NoWholeBlocksOfTheCoarsestAxis) const = delete;

    constexpr Data* get() const { return pointer_; }
    constexpr Data& operator*() const
        requires names_element<Layout, Ts...>
    {
        return *pointer_;
    }
    constexpr Data* operator->() const
        requires names_element<Layout, Ts...>
    {
        return pointer_;
    }
    template <class Cursor = base_cursor, class Position = subscript_problem_of<Cursor>>
    Data& operator*() const = delete;
    template <class Cursor = base_cursor, class Position = subscript_problem_of<Cursor>>
    Data* operator->() const = delete;

  private:
    Data* pointer_;
    Layout shape_;
};

} // namespace spio
