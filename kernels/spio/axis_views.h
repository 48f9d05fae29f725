// Views of other axes: the same elements under other names, in reverse, in part, split and joined.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. The extent
// of a tensor is the number of its positions along a base. A function that is deleted is an error
// message: the names of its template parameters are the sentence. A late (dynamic) extent is known
// only when the tensor is made; a pitch is a stride that an axis is given. checks_at_run_time is
// true in checked builds alone. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension
// that it counts. pinned(axis, stride) is the axis with this stride in memory. cuts_late<Start, n,
// T> tells whether a tile of n steps can be cut from T at a Start that only the run knows.
#pragma once

#include "spio/axis_splits.h"

namespace spio {

// A view is a tensor: it has sizes, extents and inbounds() of its own, and can be viewed again. In
// the laws below, t is the tensor, v the view, and the dimensions that are not named stay.

// Another name:  v[J(n)] is t[I(n)].
//     rename<I, J>(t)
template <class From, class To, changed_by<renaming<From, To>> Tensor>
constexpr auto rename(Tensor const& t) {
    return changed<renaming<From, To>>(t);
}
template <class OfADimension, class ToANewOne, class Data, auto... Axes>
    requires(!changes<renaming<OfADimension, ToANewOne>, tensor<Data, Axes...>>)
void rename(tensor<Data, Axes...> const&) = delete;

// From the last position to the first:  v[I(n)] is t[I(extent - 1 - n)].
//     reverse<I>(t)
template <class Base, changed_by<reversal<Base>> Tensor> constexpr auto reverse(Tensor const& t) {
    return changed<reversal<Base>>(t);
}
template <class OnlyAStaticDimension, class Tensor>
    requires(!changes<reversal<OnlyAStaticDimension>, Tensor>)
void reverse(Tensor const&) = delete;

// Every N-th position, beginning with the first:  v[I(n)] is t[I(N * n)], and the extent is rounded
// up. Where I is folded, N divides the size of its finest axis.
//     every<2, I>(t)
template <int N, class Base, changed_by<thinning<Base, N>> Tensor>
constexpr auto every(Tensor const& t) {
    return changed<thinning<Base, N>>(t);
}
template <int HasToDivideTheFinestAxis, class Base, class Tensor>
    requires(!changes<thinning<Base, HasToDivideTheFinestAxis>, Tensor>)
void every(Tensor const&) = delete;

// Two dimensions of one:  v[Outer(m)][Inner(n)] is t[I(N * m + n)]. N divides the extent. A late
// extent must be that of the outermost axis, or of one to whose left all axes have pitches.
//     split<I, Outer, Inner, 8>(t)
template <class Base, class Outer, class Inner, int N,
          changed_by<splitting<Base, Outer, Inner, N>> Tensor>
constexpr auto split(Tensor const& t) {
    return changed<splitting<Base, Outer, Inner, N>>(t);
}
template <class OnlyAStaticOrOutermostDimension, class Outer, class Inner, int HasToDivideIt,
          class Tensor>
    requires(!changes<splitting<OnlyAStaticOrOutermostDimension, Outer, Inner, HasToDivideIt>,
                      Tensor>)
void split(Tensor const&) = delete;

// One dimension of two:  v[I(n)] is t[Outer(n / size)][Inner(n % size)], where size is the extent
// of Inner.
//     join<Outer, Inner, I>(t)
template <class Outer, class Inner, class To, changed_by<joining<Outer, Inner, To>> Tensor>
constexpr auto join(Tensor const& t) {
    return changed<joining<Outer, Inner, To>>(t);
}
template <class AnyDimension, class AndAStaticOne, class MakeANewOne, class Tensor>
    requires(!changes<joining<AnyDimension, AndAStaticOne, MakeANewOne>, Tensor>)
void join(Tensor const&) = delete;

// The same elements at all positions of one more dimension:  v[J(m)][p] is t[p].
//     broadcast<axis<J>(8)>(t)
template <auto Axis, class Tensor> inline constexpr bool adds = false;
template <auto Axis, class Data, auto... Axes>
    requires(is_plain_axis<decltype(Axis)> && !Axis.is_dynamic && Axis.memory_stride == dense)
inline constexpr bool adds<Axis, tensor<Data, Axes...>> = [] {
    using base = base_of<typename decltype(Axis)::dimension>;
    if constexpr (contains<layout_bases<Axes...>, base>) {
        return false;
    } else {
        return axis_list<pinned(Axis, 0), Axes...>::is_layout;
    }
}();
template <auto Axis, class Data, auto... Axes>
    requires adds<Axis, tensor<Data, Axes...>>
constexpr auto broadcast(tensor<Data, Axes...> const& t) {
    using view = tensor<Data, pinned(Axis, 0), Axes...>;
    return view(t.get(), typename view::layout_type(t.shape()));
}
template <auto OnlyAStaticAxisOfANewDimension, class Tensor>
    requires(!adds<OnlyAStaticAxisOfANewDimension, Tensor>)
void broadcast(Tensor const&) = delete;

// The rest of the tensor from a position on:  v[I(n)] is t[start + I(n)], and the extent is what is
// left. The position counts whole blocks of the coarsest axis.
//     shift(t, I(3))
template <class Start, class Tensor> inline constexpr int most_of = 0;
template <class Start, class Data, auto... Axes>
    requires contains<layout_bases<Axes...>, base_of<Start>>
inline constexpr int most_of<Start, tensor<Data, Axes...>> = [] {
    using shape = layout<Axes...>;
    constexpr int base = shape::template base<base_of<Start>>;
    constexpr int block = shape::table.digits[shape::table.coarsest(base)].stride;
    return static_cast<int>(min(shape::table.extent(base), 0x7fffffffLL)) / block * block;
}();
template <index Start, class Tensor>
    requires(cuts_late<Start, most_of<Start, Tensor>, Tensor>)
constexpr auto shift(Tensor const& t, Start start) {
    if (checks_at_run_time || __builtin_is_constant_evaluated()) {
        int const extent = count<1>(t.template extent<base_of<Start>>());
        if (start.value < 0 || count<1>(start) > extent) {
            a_slice_lies_in_its_tensor<Start>(count<1>(start), extent);
        }
    }
    return tile<most_of<Start, Tensor>>(t, start);
}
template <index CannotBeCut, class Tensor>
    requires(!cuts_late<CannotBeCut, most_of<CannotBeCut, Tensor>, Tensor>)
void shift(Tensor const&, CannotBeCut) = delete;

} // namespace spio
