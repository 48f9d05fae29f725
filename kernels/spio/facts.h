// Facts about a layout that a kernel can assert: addresses, banks and vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio {

// Where on a derived axis the digits of one cell are; `cell` counts the placed digits in mixed
// radix, the last fastest, and `read` those that are only read.
template <auto Axis, class Function, class... Placed, class... Read>
constexpr int place_of_cell(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>>, int cell,
                            int read) {
    int digits[sizeof...(Placed) + sizeof...(Read)] = {};
    for (int d = sizeof...(Placed); d-- > 0; cell /= Axis.placed[d].size) {
        digits[d] = cell % Axis.placed[d].size;
    }
    for (int d = sizeof...(Read); d-- > 0; read /= Axis.read[d].size) {
        digits[sizeof...(Placed) + d] = read % Axis.read[d].size;
    }
    return [&]<int... P, int... R>(numbers<P...>, numbers<R...>) {
        return static_cast<int>(Axis.function(
            fold<base_of<Placed>, Axis.placed[P].stride>(digits[P])...,
            fold<base_of<Read>, Axis.read[R].stride>(digits[sizeof...(Placed) + R])...));
    }(numbers_below<sizeof...(Placed)>(), numbers_below<sizeof...(Read)>());
}

// Whether an axis gives each of its cells a place of its own, whatever it reads.
template <auto Axis> constexpr bool is_permutation() {
    if constexpr (is_derived_axis<decltype(Axis)>) {
        int reads = 1;
        for (digit const& d : Axis.read) reads *= d.size;
        for (int read = 0; read < reads; ++read) {
            bool taken[Axis.size()] = {};
            for (int cell = 0; cell < Axis.size(); ++cell) {
                int const place = place_of_cell<Axis>(Axis, cell, read);
                if (place < 0 || place >= Axis.size() || taken[place]) return false;
                taken[place] = true;
            }
        }
    }
    return true;
}

// Whether the axes keep their places apart: each spans less than the next wider one steps.
template <class Table> constexpr bool is_nested(Table const& table) {
    long long span = 1;
    bool used[sizeof(table.axes) / sizeof(table.axes[0])] = {};
    for (int n = 0; n < table.axis_count; ++n) {
        int narrowest = -1;
        for (int a = 0; a < table.axis_count; ++a) {
            if (!used[a] &&
                (narrowest < 0 || table.memory_stride(a) < table.memory_stride(narrowest))) {
                narrowest = a;
            }
        }
        used[narrowest] = true;
        long long const stride = table.memory_stride(narrowest);
        int const size = table.axes[narrowest].size;
        if (size > 1 && stride < span) return false;
        span += (size - 1) * stride;
    }
    return true;
}

// Whether every function reads only what plain axes place, so that reading goes in no circle.
template <class Table> constexpr bool reads_plain_axes(Table const& table) {
    for (int d = 0; d < table.digit_count; ++d) {
        for (int e = 0; e < table.digit_count; ++e) {
            digit_row const& read = table.digits[d];
            digit_row const& other = table.digits[e];
            if (!read.placed && other.placed && other.base == read.base &&
                !table.axes[other.axis].plain) {
                return false;
            }
        }
    }
    return true;
}

template <class Tensor> inline constexpr bool is_injective = false;

// Every element has an address of its own. Proved, not guessed: the axes nest, and the function of
// each derived one is a permutation. Layouts whose axes interleave without nesting are not.
template <class Data, auto... Axes>
    requires(tensor<Data, Axes...>::layout_type::is_static)
inline constexpr bool is_injective<tensor<Data, Axes...>> =
    (is_permutation<Axes>() && ...) && is_nested(layout_table_of<Axes...>) &&
    reads_plain_axes(layout_table_of<Axes...>);

// What one instruction of a lane loads or stores.
template <class T>
concept one_access = sizeof(T) <= 16 && is_power_of_two(sizeof(T));

// How often a warp's access to shared memory has to be repeated because two lanes want different
// words of one bank. 32 banks of 4 bytes; wide elements are served 128 bytes at a time, so that 8
// lanes of 16 bytes (one matrix of ldmatrix) go together.
//     bank_conflicts<Tile>([](int lane) { return make_coordinates(I(lane % 16), K8(lane / 16)); })
template <class Tensor, int Lanes = 32, class PlaceOfLane>
    requires one_access<typename Tensor::data_type> && (Lanes > 0 && Lanes <= 32)
constexpr int bank_conflicts(PlaceOfLane place_of) {
    constexpr int bytes = sizeof(typename Tensor::data_type);
    constexpr int lanes_at_once = bytes <= 4 ? 32 : 128 / bytes;
    constexpr int words = bytes <= 4 ? 1 : bytes / 4;
    int repeats = 0;
    for (int first = 0; first < Lanes; first += lanes_at_once) {
        long long wanted[32][lanes_at_once * words] = {};
        int count[32] = {};
        int most = 0;
        for (int lane = first; lane < min(first + lanes_at_once, Lanes); ++lane) {
            long long const address = 1LL * Tensor()[place_of(lane)].offset() * bytes;
            for (int w = 0; w < words; ++w) {
                long long const word = address / 4 + w;
                int const bank = static_cast<int>(word % 32);
                bool found = false;
                for (int i = 0; i < count[bank]; ++i) found |= wanted[bank][i] == word;
                if (!found) wanted[bank][count[bank]++] = word;
                most = max(most, count[bank]);
            }
        }
        repeats += most - 1;
    }
    return repeats;
}
//     bank_conflicts<Tile, Lane>()     for an index over threads, or over those lanes that take
//     part
template <class Index> inline constexpr int lanes_of = 32;
template <class Index>
    requires requires { Index::size(); }
inline constexpr int lanes_of<Index> = min(Index::size(), 32);
template <class Tensor, located Index>
    requires one_access<typename Tensor::data_type>
constexpr int bank_conflicts() {
    return bank_conflicts<Tensor, lanes_of<Index>>([](int lane) { return Index(lane); });
}

// The greatest power of two of elements that lie together and start at a multiple of their number,
// wherever along the innermost axis they begin: the widest vector that the tensor may be read as.
template <class Data, auto... Axes> constexpr int vector_width(tensor<Data, Axes...> const&) {
    constexpr auto const& table = layout_table_of<Axes...>;
    constexpr int innermost = table.innermost();
    if (innermost < 0 || table.axes[innermost].dynamic) return 1;
    int width = 1;
    while (table.axes[innermost].size % (2 * width) == 0) width *= 2;
    for (int a = 0; a < table.axis_count; ++a) {
        if (a == innermost || table.axes[a].size == 1) continue;
        while (table.stride_factor(a) % width != 0) width /= 2;
    }
    // No function may tell the elements of a vector apart.
    digit_row const inner = table.digits[table.first_digit(innermost)];
    for (int d = 0; d < table.digit_count; ++d) {
        digit_row const& row = table.digits[d];
        if (row.placed || row.base != inner.base) continue;
        while (width > 1 && row.is.stride % (inner.is.stride * width) != 0) width /= 2;
    }
    return width;
}

} // namespace spio
