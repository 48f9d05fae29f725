// Random layouts as plain numbers, for the reference in model.h and as the library's layout tables.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. A ring is a base around which positions wrap, a dynamic one has its size at
// run time only. A pitch is an axis's distance in memory, where it is set. A checkerboard and an
// exclusive or are functions of several digits (swizzles). The oracle is the reference: the laws as
// plain loops. Dice draw random numbers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model.h"
#include "seed.h"
#include "spio/layout_table.h"

using drawn_table = spio::layout_table</*MaxAxes=*/16, /*MaxDigits=*/24>; // more than are drawn

// A random layout of up to three bases and ten digits, as plain numbers.
inline oracle::layout draw_layout(dice& random) {
    constexpr oracle::number sizes[] = {2, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 16};
    constexpr oracle::number finest[] = {1, 1, 1, 1, 2, 3, 5};
    oracle::layout result;
    std::vector<oracle::digit> digits;
    int const bases = 1 + random.draw_below(3);
    for (int b = 0; b < bases; ++b) {
        oracle::base base;
        oracle::number stride = random.pick(finest);
        for (int count = 1 + random.draw_below(3); count > 0; --count) {
            digits.push_back({b, stride, random.pick(sizes)});
            stride *= digits.back().size;
        }
        if (random.one_in(10)) { // a single block
            stride /= digits.back().size;
            digits.back().size = 1;
        }
        base.extent = stride;
        base.ring = random.one_in(4);
        base.dynamic = !base.ring && random.one_in(4);
        result.bases.push_back(base);
    }
    // A digit that is always 0, beside another of its stride.
    oracle::digit const neighbour = digits[random.draw_below(static_cast<int>(digits.size()))];
    if (neighbour.size > 1 && random.one_in(4))
        digits.push_back({neighbour.base, neighbour.stride, 1});
    for (std::size_t d = digits.size(); d > 1; --d) {
        std::swap(digits[d - 1], digits[random.draw_below(static_cast<int>(d))]);
    }

    // Whether a derived axis may place a digit: the digit's size must be static.
    auto const closed = [&](oracle::digit const& d) {
        return !result.bases[d.base].dynamic || d.end() < result.bases[d.base].extent;
    };
    while (!digits.empty()) {
        oracle::axis a;
        a.kind = "plain";
        oracle::digit const d = digits.back();
        digits.pop_back();
        a.placed.push_back(d);
        bool const derived = closed(d) && random.one_in(3);
        if (derived && !digits.empty() && digits.back().size == 2 && closed(digits.back())) {
            a.kind = "checkerboard";
            a.parameters[0] = 2LL << random.draw_below(4);
            a.placed.push_back(digits.back());
            digits.pop_back();
        } else if (derived && (d.size & (d.size - 1)) == 0) {
            int const b = random.draw_below(bases);
            oracle::number const stride = 1 + random.draw_below(4);
            oracle::digit const read_digit{b, stride,
                                           std::min(d.size, 2LL << random.draw_below(3))};
            oracle::number const extent = result.bases[b].extent;
            bool const divides = extent % read_digit.end() == 0 || result.bases[b].dynamic;
            if (b != d.base && divides) {
                a.kind = "exclusive_or";
                a.sources.push_back(read_digit);
            }
        }
        if (random.one_in(5)) a.pitch = random.draw_below(300);
        result.axes.push_back(a);
    }
    result.settle();
    return result;
}

// The same layout as the library's table of digits and axes.
inline drawn_table table_of(oracle::layout const& model) {
    drawn_table table;
    auto const convert = [&](oracle::digit const& d, bool ring) {
        return spio::digit{static_cast<int>(d.stride), static_cast<int>(d.size), ring};
    };
    for (oracle::axis const& a : model.axes) {
        oracle::number size = 1;
        bool dynamic = false;
        for (oracle::digit const& d : a.placed) {
            size *= d.size;
            dynamic |= model.bases[d.base].dynamic && model.is_coarsest(d);
        }
        table.add_axis({.size = static_cast<int>(size),
                        .is_dynamic = dynamic,
                        .is_plain = a.kind == "plain",
                        .pitch = a.pitch});
        for (oracle::digit const& d : a.placed) {
            bool const coarsest = model.is_coarsest(d);
            table.add_digit(d.base, convert(d, coarsest && model.bases[d.base].ring),
                            /*is_placed=*/true, coarsest && model.bases[d.base].dynamic);
        }
        for (oracle::digit const& d : a.sources) {
            table.add_digit(d.base, convert(d, /*ring=*/false), /*is_placed=*/false,
                            /*is_dynamic=*/false);
        }
    }
    return table;
}
