// Windows: a dimension of a tensor as a sum of two others, H = stride * P + dilation * R - pad.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. A place is
// an index, or anything that has coordinates. A function that is deleted is an error message: the
// names of its template parameters say what is wrong. checks_at_run_time is true in checked builds
// alone. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts and
// stride_of<T> the size of its steps. type_is<T> has T as its member `type`.
#pragma once

#include "spio/tiles.h"
#include "spio/window.h"

namespace spio {

// The bases of a view in which Output and Tap stand for Base.
template <class Bases, class Base, class Output, class Tap> struct window_bases;
template <class... Bases, class Base, class Output, class Tap>
struct window_bases<mp_list<Bases...>, Base, Output, Tap>
    : merged<either<same<Bases, Base>, mp_list<Output, Tap>, mp_list<Bases>>...> {};

// A position in a view of windows: a cursor in the tensor, and the output and the tap so far.
// HasOutput and HasTap tell whether these have subscripts.
template <class Cursor, class Base, class Output, class Tap, window Window, bool HasOutput = false,
          bool HasTap = Window.taps == 1>
class window_cursor {
  public:
    using data_type = typename Cursor::data_type;
    using bases = typename window_bases<typename Cursor::bases, Base, Output, Tap>::type;

    // From the cursor at the first input. The view has so many outputs; `output` and `tap` are the
    // position.
    constexpr window_cursor(Cursor const& input, int outputs, int output = 0, int tap = 0)
        : input_(input), outputs_(outputs), output_(output), tap_(tap) {}

    template <place_among<bases> P> [[nodiscard]] constexpr auto operator[](P const& p) const {
        if constexpr (located<P>) {
            return moved_by_entries(p.coordinates());
        } else {
            return moved(p);
        }
    }
    template <place AbsentDimension, class View = window_cursor>
        requires(!place_among<AbsentDimension, bases>)
    window_cursor operator[](AbsentDimension const&) const = delete;
    template <integer NotADimension, class View = window_cursor>
    window_cursor operator[](NotADimension) const = delete;

    // Whether there is an input: the position lies in the view, and not in the padding.
    constexpr bool inbounds() const {
        bool const is_inside = static_cast<unsigned>(output_) < static_cast<unsigned>(outputs_) &&
                               static_cast<unsigned>(tap_) < static_cast<unsigned>(Window.taps);
        return is_inside & input_.inbounds();
    }
    constexpr data_type* get() const { return input_.get(); }
    constexpr auto offset() const { return input_.offset(); }
    // The element there. As in a tensor, each dimension of several positions needs a subscript.
    constexpr data_type& operator*() const
        requires(HasOutput && HasTap && requires(Cursor const& input) { *input; })
    {
        if constexpr (checks_at_run_time) {
            check_bounds<Output>(output_, outputs_);
            check_bounds<Tap>(tap_, Window.taps);
        }
        return *input_;
    }
    template <class View = window_cursor, class Position = subscript_problem_of<View>>
    data_type& operator*() const = delete;

  private:
    template <class Input, bool NamesOutput = false, bool NamesTap = false>
    using at_input = window_cursor<Input, Base, Output, Tap, Window, HasOutput || NamesOutput,
                                   HasTap || NamesTap>;

    template <class Dimension> static constexpr void check_bounds(int position, int extent) {
        if (position < 0 || position >= extent) {
            an_element_is_from_0_to_below_the_extent<Dimension>(position, extent);
        }
    }

    template <index X> constexpr auto moved(X x) const {
        int const units = count<1>(x);
        if constexpr (same<base_of<X>, Output>) {
            auto const input = input_[Base(Window.stride * units)];
            return at_input<decltype(input_[Base()]), /*NamesOutput=*/true>(input, outputs_,
                                                                            output_ + units, tap_);
        } else if constexpr (same<base_of<X>, Tap>) {
            auto const input = input_[Base(Window.dilation * units)];
            return at_input<decltype(input_[Base()]), /*NamesOutput=*/false, /*NamesTap=*/true>(
                input, outputs_, output_, tap_ + units);
        } else {
            return at_input<decltype(input_[x])>(input_[x], outputs_, output_, tap_);
        }
    }
    // Moves by each coordinate whose dimension the view has; others are ignored.
    template <class... Xs> constexpr auto moved_by_entries(coords<Xs...> const& c) const {
        return moved_by(*this, c.template digit<Xs>()...);
    }
    template <class Start> static constexpr Start moved_by(Start const& start) { return start; }
    template <class Start, index X, index... Xs>
    static constexpr auto moved_by(Start const& start, X x, Xs... xs) {
        if constexpr (index_among<X, bases>) {
            return moved_by(start[x], xs...);
        } else {
            return moved_by(start, xs...);
        }
    }

    Cursor input_;
    int outputs_;
    int output_;
    int tap_;
};

// The problem of a position in windows that names no element: its own, or that of its input.
template <class Cursor, class Base, class Output, class Tap, window Window, bool HasOutput,
          bool HasTap>
    requires(!HasOutput || !HasTap)
auto subscript_problem(window_cursor<Cursor, Base, Output, Tap, Window, HasOutput, HasTap> const*)
    -> type_is<has_no_subscript_in<either<HasOutput, Tap, Output>>>;
template <class Cursor, class Base, class Output, class Tap, window Window>
auto subscript_problem(
    window_cursor<Cursor, Base, Output, Tap, Window, /*HasOutput=*/true, /*HasTap=*/true> const*)
    -> type_is<subscript_problem_of<Cursor>>;

// The windows of a tensor along Base. inbounds() is false in the padding.
template <class Source, class Base, class Output, class Tap, window Window> class window_view {
  public:
    using data_type = typename Source::data_type;
    using bases = typename window_bases<typename Source::bases, Base, Output, Tap>::type;
    static constexpr window shape = Window;

    constexpr explicit window_view(Source const& source)
        : window_view(source, -Window.pad, Window.outputs(source.template extent<Base>().value)) {}
    // From the input of the first tap of the first output, and the number of outputs.
    constexpr window_view(Source const& source, int start, int outputs)
        : source_(source), start_(start), outputs_(outputs) {}

    constexpr Source const& source() const { return source_; }
    // The input of a tap of an output: a position along Base, which may lie in the padding.
    constexpr int input(int output, int tap) const {
        return start_ + Window.stride * output + Window.dilation * tap;
    }

    constexpr auto origin() const {
        auto const first = source_.origin()[Base(start_)];
        return window_cursor<decltype(source_.origin()[Base()]), Base, Output, Tap, Window>(
            first, outputs_);
    }
    template <place_among<bases> P> [[nodiscard]] constexpr auto operator[](P const& p) const {
        return origin()[p];
    }
    template <place AbsentDimension, class View = window_view>
        requires(!place_among<AbsentDimension, bases>)
    window_view operator[](AbsentDimension const&) const = delete;
    template <integer NotADimension, class View = window_view>
    window_view operator[](NotADimension) const = delete;

    template <base_dimension D>
        requires contains<bases, D>
    constexpr D extent() const {
        if constexpr (same<D, Output>) {
            return Output(outputs_);
        } else if constexpr (same<D, Tap>) {
            return Tap(Window.taps);
        } else {
            return source_.template extent<D>();
        }
    }
    //     for (auto p : range(view.extents()))      every tap of every output
    constexpr auto extents() const {
        return [&]<class... Bases>(mp_list<Bases...>) {
            return make_coordinates(this->template extent<Bases>()...);
        }(bases());
    }

  private:
    Source source_;
    int start_;
    int outputs_;
};

// Whether a tensor, or a view of windows, has the dimension Base and neither Output nor Tap.
template <class Source, class Base, class Output, class Tap, window Window>
concept has_windows =
    Window.is_valid() && base_dimension<Output> && base_dimension<Tap> && !same<Output, Tap> &&
    contains<typename Source::bases, Base> && !contains<typename Source::bases, Output> &&
    !contains<typename Source::bases, Tap>;

// A view in which a pair of dimensions stands for one: v[P(p)][R(r)] is
// x[H(stride * p + dilation * r - pad)]. Its inbounds() knows the padding, so that im2col, dilated
// and strided windows and band matrices need no arithmetic of their own.
//     auto const v = windows<H, P, R, window{.taps = 3, .pad = 1}>(x);
//     for (auto r : range(R(3))) sum += v[p][r].inbounds() ? *v[p][r] * *w[r] : 0;
template <class Base, class Output, class Tap, window Window, class Source>
    requires has_windows<Source, Base, Output, Tap, Window>
constexpr auto windows(Source const& source) {
    return window_view<Source, Base, Output, Tap, Window>(source);
}
template <class OfADimension, class OutputsInANewOne, class AndTapsInAnother, window AValidOne,
          class Source>
    requires(!has_windows<Source, OfADimension, OutputsInANewOne, AndTapsInAnother, AValidOne>)
void windows(Source const&) = delete;

// Whether slice() and tile() can make a part of a view of windows that is Size steps long: along
// its outputs, its taps, or a dimension along which they can cut what the view is of.
template <class Start, int Size, class View> inline constexpr bool cuts_windows = false;
template <class Start, int Size, class Source, class Base, class Output, class Tap, window Window>
inline constexpr bool cuts_windows<Start, Size, window_view<Source, Base, Output, Tap, Window>> =
    [] {
        if constexpr (same<base_of<Start>, Output>) {
            return Size > 0;
        } else if constexpr (same<base_of<Start>, Tap>) {
            return Size > 0 && Size * stride_of<Start> <= Window.taps;
        } else {
            return !same<base_of<Start>, Base> &&
                   requires(Source const& source, Start start) { slice<Size>(source, start); };
        }
    }();

// The part of a view of windows that is Size steps of one dimension long. It keeps the padding.
//     slice<4>(v, P(8))      P(8) … P(11), which are P(0) … P(3) of the slice
template <int Size, index Start, class Source, class Base, class Output, class Tap, window Window>
    requires cuts_windows<Start, Size, window_view<Source, Base, Output, Tap, Window>>
constexpr auto slice(window_view<Source, Base, Output, Tap, Window> const& v, Start start) {
    constexpr int length = Size * stride_of<Start>;
    int const first = count<1>(start);
    if constexpr (same<base_of<Start>, Output> || same<base_of<Start>, Tap>) {
        int const extent = v.template extent<base_of<Start>>().value;
        if (checks_at_run_time || __builtin_is_constant_evaluated()) {
            if (first < 0 || first > extent - length) {
                a_slice_lies_in_its_tensor<Start>(first, extent);
            }
        }
    }
    if constexpr (same<base_of<Start>, Output>) {
        return window_view<Source, Base, Output, Tap, Window>(v.source(), v.input(first, /*tap=*/0),
                                                              length);
    } else if constexpr (same<base_of<Start>, Tap>) {
        constexpr window part = {length, Window.stride, Window.dilation, Window.pad};
        return window_view<Source, Base, Output, Tap, part>(
            v.source(), v.input(/*output=*/0, first), v.template extent<Output>().value);
    } else {
        auto const source = slice<Size>(v.source(), start);
        return window_view<decltype(slice<Size>(v.source(), start)), Base, Output, Tap, Window>(
            source, v.input(/*output=*/0, /*tap=*/0), v.template extent<Output>().value);
    }
}
template <int Size, index CannotBeCut, class Source, class Base, class Output, class Tap,
          window Window>
    requires(!cuts_windows<CannotBeCut, Size, window_view<Source, Base, Output, Tap, Window>>)
void slice(window_view<Source, Base, Output, Tap, Window> const&, CannotBeCut) = delete;

// The same along the outputs, or fewer at the end: what a block computes.
//     tile<64>(v, fold<P, 64>(block))
template <int Size, index Start, class Source, class Base, class Output, class Tap, window Window>
    requires(same<base_of<Start>, Output> && Size > 0)
constexpr auto tile(window_view<Source, Base, Output, Tap, Window> const& v, Start start) {
    if (start.value < 0 && (checks_at_run_time || __builtin_is_constant_evaluated())) {
        a_tile_starts_at_0_or_later<Start>(start.value);
    }
    int const first = count<1>(start);
    int const rest = v.template extent<Output>().value - first;
    return window_view<Source, Base, Output, Tap, Window>(v.source(), v.input(first, /*tap=*/0),
                                                          max(0, min(Size, rest)));
}
template <int Size, class AlongTheOutputsAlone, class Source, class Base, class Output, class Tap,
          window Window>
    requires(Size <= 0 || !same_base<AlongTheOutputsAlone, Output>)
void tile(window_view<Source, Base, Output, Tap, Window> const&, AlongTheOutputsAlone) = delete;

} // namespace spio
