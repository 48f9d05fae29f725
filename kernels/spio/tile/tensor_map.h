// Tensor maps: the descriptors of tensors of which TMA copies boxes.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor has axes, each a part (digit) of a position in a dimension: floor(position / stride) mod
// size. A base is a dimension without such folds. Tables have the digits and axes of a layout as
// numbers. A swizzle exchanges cells of 16 bytes, so that lanes read different banks.
// numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/checked_size.h"
#include "spio/launch_values.h"
#include "spio/swizzle.h"
#include "spio/tensor.h"
#include "spio/tile/shared_memory.h"
#include "spio/tile/vector.h"

namespace spio {

// TMA counts scalars, not vectors.
template <class T> inline constexpr int scalars_in = 1;
template <class T> inline constexpr int scalars_in<T const> = scalars_in<T>;
template <class T, int N> inline constexpr int scalars_in<vec<T, N>> = N;

template <class Axis> inline constexpr bool is_exclusive_or = false;
template <class Axis> inline constexpr bool is_exclusive_or<Axis const> = is_exclusive_or<Axis>;
template <class Placed, class Read>
inline constexpr bool is_exclusive_or<derived_axis<exclusive_or, Placed, Read>> = true;

template <class Tensor> inline constexpr bool ends_in_swizzle = false;
template <class Data, auto... Axes>
inline constexpr bool ends_in_swizzle<tensor<Data, Axes...>> = [] {
    bool last = false;
    ((last = is_exclusive_or<decltype(Axes)>), ...);
    return last;
}();

// The row size in the swizzle by lines (exclusive_or_line) of a tensor's last axis; 0 if it has
// none.
template <class Axis> constexpr int row_size_of(Axis const&) { return 0; }
template <class Placed, class Read>
constexpr int row_size_of(derived_axis<exclusive_or_line, Placed, Read> const& axis) {
    return axis.function.row_size;
}
template <class Tensor> inline constexpr int swizzled_row_size = 0;
template <class Data, auto... Axes>
inline constexpr int swizzled_row_size<tensor<Data, Axes...>> = [] {
    int last = 0;
    ((last = row_size_of(Axes)), ...);
    return last;
}();

// A tile as a TMA box of a global tensor, worked out from the tables of both. Each axis of the
// global tensor is a dimension of the map. The tile has some of these axes, in the same order and
// steps and without padding; the box is one step long along the others.
template <class Tile, class Global> struct box_in {
    using data = typename Global::data_type;
    static constexpr auto const& tile = Tile::layout_type::table;
    static constexpr auto const& global = Global::layout_type::table;
    static constexpr int rank = global.axis_count;
    static constexpr int scalars = scalars_in<data>;

    // Whether TMA can have a map of the global tensor: at most five axes, each of another
    // dimension, none folded, swizzled or a ring, and the last one contiguous.
    static constexpr bool can_have_map() {
        bool plain = rank <= 5 && global.digit_count == rank && global.base_count == rank;
        for (int a = 0; a < rank; ++a) {
            plain &= global.axes[a].is_plain && !global.digits[a].is_ring;
        }
        return plain && global.memory_stride(rank - 1) == 1;
    }
    // The global axis that an axis of the tile goes along, or -1.
    template <class... Bases> static constexpr int along(mp_list<Bases...>, int tile_axis) {
        int const bases[] = {position_in<Bases>(typename Global::bases())..., -1};
        digit_row const& placed = tile.digits[tile.first_digit(tile_axis)];
        for (int a = 0; a < rank; ++a) {
            digit_row const& row = global.digits[a];
            if (row.base == bases[placed.base] && row.stride == placed.stride) return a;
        }
        return -1;
    }
    static constexpr int along(int tile_axis) { return along(typename Tile::bases(), tile_axis); }

    // The bytes that the tile's swizzle spans, 0 if it has none, -1 if TMA has no such swizzle. TMA
    // exchanges cells of 16 bytes by the number of their 128-byte line, and starts anew after eight
    // lines, whatever the span.
    static constexpr int swizzle() {
        int const last = tile.axis_count - 1;
        if (tile.axes[last].is_plain) return 0;
        digit_row const& column = tile.digits[tile.first_digit(last)];
        digit_row const& line = tile.digits[tile.first_digit(last) + 1];
        int const span = column.size * static_cast<int>(sizeof(data));
        bool const is_span = span == 32 || span == 64 || span == 128;
        if (last == 0 || sizeof(data) != 16 || !is_span) return -1;
        digit_row const& row = tile.digits[tile.first_digit(last - 1)];
        if (swizzled_row_size<Tile> > 0) return is_swizzled_by_line() ? span : -1;
        if (!ends_in_swizzle<Tile>) return -1;
        bool const by_line = line.base == row.base && line.size == span / 16 &&
                             line.stride == row.stride * (128 / span);
        bool const starts_anew = last == 1 || row.size % 8 == 0;
        return by_line && starts_anew ? span : -1;
    }
    // The digits that the last axis reads must be the axes before it, and there must be no axis
    // before those, because lines would be counted on across it.
    static constexpr bool is_swizzled_by_line() {
        int const last = tile.axis_count - 1;
        bool is_by_line = last == 2 && swizzled_row_size<Tile> == tile.axes[1].size;
        for (int axis = 0; is_by_line && axis < last; ++axis) {
            digit_row const& source = tile.digits[tile.first_digit(last) + 1 + axis];
            digit_row const& placed = tile.digits[tile.first_digit(axis)];
            is_by_line = source.base == placed.base && source.stride == placed.stride &&
                         source.size == placed.size;
        }
        return is_by_line;
    }
    // Whether the tile is such a box: its last axis is the tensor's, and no axis exceeds TMA's
    // limit of 256 scalars.
    static constexpr bool is_a_box() {
        if (!can_have_map() || swizzle() < 0) return false;
        int const swizzle_digits = swizzled_row_size<Tile> > 0 ? 2 : swizzle() > 0;
        if (tile.digit_count != tile.axis_count + swizzle_digits) return false;
        int right = rank;
        long long stride = 1;
        for (int t = tile.axis_count - 1; t >= 0; --t) {
            if (tile.axes[t].is_dynamic || tile.memory_stride(t) != stride) return false;
            if (tile.digits[tile.first_digit(t)].is_ring) return false;
            stride *= tile.axes[t].size;
            int const a = along(t);
            if (a < 0 || a >= right || (right == rank && a != rank - 1)) return false;
            if (tile.axes[t].size * (a == rank - 1 ? scalars : 1) > 256) return false;
            right = a;
        }
        return tile.axes[tile.axis_count - 1].size * static_cast<int>(sizeof(data)) % 16 == 0;
    }
    static constexpr bool is_possible = is_a_box();

    // The steps of the box along a global axis.
    static constexpr int steps(int axis) {
        for (int t = 0; t < tile.axis_count; ++t) {
            if (along(t) == axis) return tile.axes[t].size;
        }
        return 1;
    }
    static constexpr tensor_map_plan plan(typename Global::layout_type const& shape) {
        return [&]<int... A>(numbers<A...>) {
            tensor_map_plan plan;
            plan.rank = rank;
            plan.element_bytes = static_cast<int>(sizeof(data)) / scalars;
            plan.swizzle = swizzle();
            ((plan.sizes[rank - 1 - A] = shape.template count<A>() * (A == rank - 1 ? scalars : 1),
              plan.strides[rank - 1 - A] =
                  A == rank - 1
                      ? plan.element_bytes
                      : (shape.template memory_stride<A, checked_size>() * sizeof(data)).value,
              plan.box[rank - 1 - A] = steps(A) * (A == rank - 1 ? scalars : 1)),
             ...);
            return plan;
        }(numbers_below<rank>());
    }
};

template <class Tile, class Global>
concept copied_as_box = box_in<Tile, Global>::is_possible;

// The alignment of a tile in shared memory that is copied as a TMA box.
template <class Tile> inline constexpr int box_alignment = max(shared_alignment<Tile>, 128);

// The map of a global tensor for boxes of one tile, which the driver encodes from its plan. A
// kernel takes it by value as a __grid_constant__ parameter, because TMA reads it where the launch
// put it.
template <class Tile, class Global>
    requires copied_as_box<Tile, Global>
struct alignas(64) tensor_map {
    using tile_type = Tile;
    using global_type = Global;

    unsigned long long words[16];

    static constexpr tensor_map_plan plan(typename Global::layout_type const& shape = {}) {
        return box_in<Tile, Global>::plan(shape);
    }
    // The bytes that a load of a box counts, those outside the tensor too.
    static constexpr int num_bytes() { return static_cast<int>(Tile::num_bytes()); }
};

} // namespace spio
