// Properties of a layout that a kernel can assert: addresses, banks and vectors.
// SPDX-License-Identifier: Apache-2.0
//
// An axis counts a digit of a position in a dimension: floor(position / stride) mod size. A derived
// axis is a function of digits; all other axes are plain. A table has the digits and axes of a
// layout as numbers; a digit is placed by one axis, and functions on other axes may read it.
#pragma once

#include "spio/cells.h"
#include "spio/tensor.h"

namespace spio {

// Whether the axes cannot overlap: each spans less than one step of the next wider one. Strides
// that only the run knows are left out, and a size that only the run knows may be as small as 2.
template <class Table> constexpr bool is_nested(Table const& table) {
    long long span = 1;
    bool is_used[sizeof(table.axes) / sizeof(table.axes[0])] = {};
    for (int n = 0; n < table.axis_count; ++n) {
        int narrowest = -1;
        for (int a = 0; a < table.axis_count; ++a) {
            if (!is_used[a] &&
                (narrowest < 0 || table.memory_stride(a) < table.memory_stride(narrowest))) {
                narrowest = a;
            }
        }
        is_used[narrowest] = true;
        axis_row const& axis = table.axes[narrowest];
        long long const stride = table.memory_stride(narrowest);
        int const size = axis.is_dynamic ? min(axis.size, 2) : axis.size;
        if (stride < 0 || size == 1) continue;
        if (stride < span) return false;
        span += (size - 1) * stride;
    }
    return true;
}

// Whether every function reads only digits that plain axes place, so that no two functions depend
// on each other.
template <class Table> constexpr bool reads_plain_axes(Table const& table) {
    for (int d = 0; d < table.digit_count; ++d) {
        for (int e = 0; e < table.digit_count; ++e) {
            digit_row const& reader = table.digits[d];
            digit_row const& source = table.digits[e];
            if (!reader.is_placed && source.is_placed && source.base == reader.base &&
                !table.axes[source.axis].is_plain) {
                return false;
            }
        }
    }
    return true;
}

// False for types that are no tensors.
template <class Tensor> inline constexpr bool is_injective = false;

// Whether every element provably has an address of its own: the axes nest, and the function of each
// derived axis is a permutation. Axes that interleave without overlapping are not recognized.
template <class Data, auto... Axes>
    requires(tensor<Data, Axes...>::layout_type::is_static)
inline constexpr bool is_injective<tensor<Data, Axes...>> =
    (cell_facts_of<Axes>().are_distinct && ...) && is_nested(layout_table_of<Axes...>) &&
    reads_plain_axes(layout_table_of<Axes...>);

// An element that a thread loads or stores with one instruction.
template <class T>
concept one_access = sizeof(T) <= 16 && is_power_of_two(sizeof(T));

// How often a warp's access to shared memory is repeated because two lanes access different words
// of one bank. There are 32 banks of 4 bytes; wide elements are served 128 bytes at a time, so that
// 8 lanes of 16 bytes, which is one matrix of ldmatrix, form one access.
//     bank_conflicts<Tile>([](int lane) { return make_coordinates(I(lane % 16), K8(lane / 16)); })
template <class Tensor, int Lanes = 32, class PlaceOfLane>
    requires one_access<typename Tensor::data_type> && (Lanes > 0 && Lanes <= 32)
constexpr int bank_conflicts(PlaceOfLane place_of) {
    constexpr int bytes = sizeof(typename Tensor::data_type);
    constexpr int lanes_at_once = bytes <= 4 ? 32 : 128 / bytes;
    constexpr int words = bytes <= 4 ? 1 : bytes / 4;
    int repeats = 0;
    for (int first = 0; first < Lanes; first += lanes_at_once) {
        long long bank_words[32][lanes_at_once * words] = {};
        int count[32] = {};
        int most = 0;
        for (int lane = first; lane < min(first + lanes_at_once, Lanes); ++lane) {
            long long const address = 1LL * Tensor()[place_of(lane)].offset() * bytes;
            for (int w = 0; w < words; ++w) {
                long long const word = address / 4 + w;
                int const bank = static_cast<int>(word % 32);
                bool found = false;
                for (int i = 0; i < count[bank]; ++i) found |= bank_words[bank][i] == word;
                if (!found) bank_words[bank][count[bank]++] = word;
                most = max(most, count[bank]);
            }
        }
        repeats += most - 1;
    }
    return repeats;
}
// The number of lanes that take part in an access, if lane n has the place Index(n).
template <class Index> inline constexpr int lanes_of = 32;
template <class Index>
    requires requires { Index::size(); }
inline constexpr int lanes_of<Index> = min(Index::size(), 32);
// How often a warp's access is repeated, as above, where lane n accesses Tensor()[Index(n)].
//     bank_conflicts<Tile, Lane>()
template <class Tensor, located Index>
    requires one_access<typename Tensor::data_type>
constexpr int bank_conflicts() {
    return bank_conflicts<Tensor, lanes_of<Index>>([](int lane) { return Index(lane); });
}

} // namespace spio
