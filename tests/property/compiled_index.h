// A compound index that generate.py wrote, as functions of plain numbers, beside its description.
// SPDX-License-Identifier: Apache-2.0
//
// A compound index is one number for several digits, each a value of a dimension below a bound, the
// last of which varies fastest. partition() deals the offsets of an index out to lanes.
#pragma once

#include <vector>

#include "compiled_layout.h"

// What an index at an offset says of itself.
struct decoded {
    std::vector<int> values;            // of get<D>(), in order of the digits
    std::vector<int> coordinate_values; // of coordinates().get<D>()
    int offset = 0;                     // of offset()
    int round_trip = 0;                 // of the index made from its own offset()
    int dense = -1;                     // the offset in a tensor of the same axes, if there is one
};

// The type of an index, behind functions.
struct compiled_index {
    char const* text;   // its C++
    char const* digits; // "K 8 4 I 1 16": base, stride, size
    bool tiles;         // whether its digits leave no gaps, so that a tensor has the same axes
    int size;
    std::vector<int> sizes;
    decoded (*decode)(int offset);
    std::vector<std::vector<int>> (*deal)(); // the offsets of each of 8 lanes
};

// Stands for the tensor where there is none.
template <class Index> struct dense_form {};

// Makes the description of an index: `text` is its C++, `digits` the digits for the reference.
// Dense is a tensor with the index's axes, or dense_form if there is none.
template <class Index, class Dense> struct index_of_digits {
    template <class... Digits> static compiled_index make(char const* text, char const* digits) {
        constexpr bool tiles = requires { typename Dense::data_type; };
        return {text,
                digits,
                tiles,
                Index::size(),
                {Index::template size<Digits>()...},
                [](int offset) {
                    Index const index(offset);
                    decoded result{{index.template get<Digits>().get()...},
                                   {index.coordinates().template digit<Digits>().get()...},
                                   index.offset().get(),
                                   Index(index.offset()).offset().get()};
                    if constexpr (tiles) {
                        result.dense = static_cast<int>(Dense(memory)[index].offset());
                    }
                    return result;
                },
                [] {
                    using lanes = spio::compound_index<spio::axis<spio::LANE>(8)>;
                    std::vector<std::vector<int>> hands(8);
                    for (int lane = 0; lane < 8; ++lane) {
                        for (auto const dealt :
                             Index::template partition<spio::LANE>(lanes(lane))) {
                            hands[lane].push_back(dealt.offset().get());
                        }
                    }
                    return hands;
                }};
    }
};
