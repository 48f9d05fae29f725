// Tensors: a pointer, and a layout whose axes are types.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. A place is
// an index such as I(2), or anything that has coordinates. A cursor is a position in a tensor. A
// function that is deleted is an error message, whose words are the names of its template
// parameters. A compound index is one number for several indices, the last of which varies fastest.
// Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts.
#pragma once

#include "spio/compound_index.h"
#include "spio/cursor.h"
#include "spio/positions.h"
#include "spio/range.h"

namespace spio {

// A pointer to the first element, and the axes along which the elements lie, outermost first.
//     constexpr auto i = axis<I>(16);
//     constexpr auto k = axis<K>(32);
//     using A = tensor<float, i, k>;                  row-major in the order written
//     A a(data);
//     a[I(2)][K(4)].get() == data + 2 * 32 + 4
template <class Data, auto... Axes>
    requires no_problem<layout_problem_of<Axes...>>
class tensor {
  public:
    using data_type = Data;
    using layout_type = layout<Axes...>;
    using offset_type = typename layout_type::offset_type;
    using size_type = typename layout_type::size_type;
    using bases = typename layout_type::bases;

    // A tensor without data. Explicit, so that a member of an aggregate that a braced list leaves
    // out does not compile. A member that may be left out has braces of its own:  vector bias{};
    constexpr explicit tensor() = default;
    constexpr explicit tensor(Data* pointer)
        requires(layout_type::is_static)
        : pointer_(pointer) {}
    constexpr tensor(Data* pointer, layout_type const& shape) : pointer_(pointer), shape_(shape) {}
    // From the extent of each dynamic dimension and the pitches that only the run knows, in any
    // order.
    template <class... Sizes>
        requires(sizeof...(Sizes) > 0) && sizes_of<layout_type, Sizes...>
    constexpr explicit tensor(Data* pointer, Sizes... sizes)
        : pointer_(pointer), shape_(sizes...) {}
    template <class... NotTheDynamicSizes, class Tensor = tensor>
        requires(!sizes_of<layout_type, NotTheDynamicSizes...>)
    explicit tensor(Data*, NotTheDynamicSizes...) = delete;

    // The same elements, read-only.
    template <class Mutable>
        requires same<Mutable const, Data> && (!same<Mutable, Data>)
    constexpr tensor(tensor<Mutable, Axes...> const& t) : pointer_(t.get()), shape_(t.shape()) {}

    // The cursor at a place: an index such as I(2), or anything that has coordinates. Dimensions
    // that the tensor lacks have no effect.
    template <place_among<bases> P> [[nodiscard]] constexpr auto operator[](P const& p) const {
        return origin()[p];
    }
    template <place AbsentDimension, class Tensor = tensor>
        requires(!place_among<AbsentDimension, bases>)
    tensor operator[](AbsentDimension const&) const = delete;
    template <integer NotADimension, class Tensor = tensor>
    tensor operator[](NotADimension) const = delete;

    // The cursor at position zero.
    constexpr auto origin() const {
        using cursor_type = cursor<Data, layout_type>;
        return cursor_type{typename cursor_type::state(pointer_, shape_)};
    }

    // The cursor at the first element.
    constexpr auto first() const { return origin().first(); }

    constexpr Data* get() const { return pointer_; }
    constexpr Data& operator*() const
        requires names_element<layout_type>
    {
        return *pointer_;
    }
    template <class Tensor = tensor, class Position = subscript_problem_of<Tensor>>
    Data& operator*() const = delete;
    constexpr void reset(Data* pointer) { pointer_ = pointer; }
    constexpr layout_type const& shape() const { return shape_; }

    // The number of elements, without padding. Sizes of a static layout can be asked of the type:
    // A::size<I>(),  A::storage_size().
    static constexpr size_type size()
        requires(layout_type::is_static)
    {
        return layout_type().size();
    }
    constexpr size_type size() const
        requires(!layout_type::is_static)
    {
        return shape_.size();
    }
    // The size in memory from the first element to the last, padding included: storage_size() in
    // elements, num_bytes() in bytes.
    static constexpr long long storage_size()
        requires(layout_type::is_static)
    {
        return layout_type().storage_size();
    }
    constexpr long long storage_size() const
        requires(!layout_type::is_static)
    {
        return shape_.storage_size();
    }
    static constexpr long long num_bytes()
        requires(layout_type::is_static)
    {
        return storage_size() * static_cast<long long>(sizeof(Data));
    }
    constexpr long long num_bytes() const
        requires(!layout_type::is_static)
    {
        return storage_size() * static_cast<long long>(sizeof(Data));
    }
    // The size of the axis that counts D.
    template <index D>
        requires(layout_type::is_static && layout_type::template has_axis<D>)
    static constexpr dimension_of<D> size() {
        return layout_type().template size<D>();
    }
    template <index D>
        requires(!layout_type::is_static && layout_type::template has_axis<D>)
    constexpr dimension_of<D> size() const {
        return shape_.template size<D>();
    }
    template <index NoAxisOfTheTensor, class Tensor = tensor>
        requires(!layout_type::template has_axis<NoAxisOfTheTensor>)
    static NoAxisOfTheTensor size() = delete;
    // The extent of D's base dimension (of fold<I, 8> that is I) in steps of D, rounded down.
    template <index D>
        requires(layout_type::is_static && contains<bases, base_of<D>>)
    static constexpr dimension_of<D> extent() {
        return layout_type().template extent<D>();
    }
    template <index D>
        requires(!layout_type::is_static && contains<bases, base_of<D>>)
    constexpr dimension_of<D> extent() const {
        return shape_.template extent<D>();
    }
    template <index AbsentDimension, class Tensor = tensor>
        requires(!contains<bases, base_of<AbsentDimension>>)
    static AbsentDimension extent() = delete;
    // The extents as coordinates, with an entry for each base dimension.  {I:16, K:32}
    static constexpr auto extents()
        requires(layout_type::is_static)
    {
        return layout_type().extents();
    }
    constexpr auto extents() const
        requires(!layout_type::is_static)
    {
        return shape_.extents();
    }

    // f(cursor) for each element, in the order of range(tensor).
    template <class Function> constexpr void apply(Function f) const {
        auto visit = [&](auto const& position) { f((*this)[position]); };
        positions<layout_type>(shape_).for_each(visit);
    }
    constexpr void fill(Data const& value) const
        requires(!is_const<Data>)
    {
        apply([&](auto const& element) { *element = value; });
    }
    constexpr void zero() const
        requires(!is_const<Data>)
    {
        fill(Data());
    }

    // A tensor without axes has one element, whose position is empty.
    constexpr auto operator[](coords<> const&) const
        requires(sizeof...(Axes) == 0)
    {
        return origin();
    }

  private:
    Data* pointer_ = nullptr;
    layout_type shape_;
};

// The problem of a tensor that is used as an element and has more than one.
template <class Data, auto... Axes>
    requires(!names_element<layout<Axes...>>)
auto subscript_problem(tensor<Data, Axes...> const*)
    -> decltype(name_subscript_problem<layout<Axes...>>());

// Every position of a tensor once, whatever its pitches.
//     for (auto position : range(a)) *a[position] = 0;
template <class Data, auto... Axes> constexpr auto range(tensor<Data, Axes...> const& t) {
    return positions<layout<Axes...>>(t.shape());
}

// f(position) for every position of a tensor, in the order of range(tensor), as loops within loops:
// g++ vectorizes these, but not the one loop over a range.
//     for_each(a, [&](auto position) { *b[position] = *a[position]; });
template <class Data, auto... Axes, class Function>
constexpr void for_each(tensor<Data, Axes...> const& t, Function f) {
    positions<layout<Axes...>>(t.shape()).for_each(f);
}

// Copies the elements at all positions of the target, whatever the layouts of both.
template <class Source, auto... SourceAxes, class Data, auto... Axes>
    requires(!is_const<Data>)
constexpr void copy(tensor<Source, SourceAxes...> const& source,
                    tensor<Data, Axes...> const& target) {
    for_each(target, [&](auto const& position) { *target[position] = *source[position]; });
}

} // namespace spio
