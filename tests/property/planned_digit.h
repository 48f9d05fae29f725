// A digit of a sum as the library computes it, with numbers in place of the library's types.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. A sum of terms, such as K(3) + fold<K, 8>(2), carries from one digit to the
// next; a plan says at compile time which terms add whole steps to a digit, and which only
// fractions.
#pragma once

#include "spio/carry.h"

inline constexpr int most_terms = 4; // arrays have one more element, which is not used

// Terms of one position: base, stride, bound (0: none) and value of each.
struct drawn_terms {
    int base[most_terms + 1] = {};
    int strides[most_terms + 1] = {};
    int bounds[most_terms + 1] = {};
    int values[most_terms + 1] = {};

    // How the library computes the digit of the terms' sum: of each term a factor for the whole
    // steps that it adds, or one for the fractions that are summed and divided.
    spio::carry_plan<most_terms> plan(int digit_base, int stride, long long period) const {
        bool is_of_base[most_terms + 1] = {};
        for (int i = 0; i < most_terms; ++i) is_of_base[i] = base[i] == digit_base;
        return {is_of_base, strides, bounds, stride, period};
    }

    // floor(sum of the terms of a base / stride), modulo period / stride if there is a period.
    int digit(int digit_base, int stride, long long period) const {
        auto const p = plan(digit_base, stride, period);
        int value = 0;
        int fractions = 0;
        for (int i = 0; i < most_terms; ++i) {
            value += values[i] * p.multiples[i];
            fractions += values[i] * p.fractions[i];
        }
        if (!p.is_carry_free) value += spio::floor_divide(fractions, p.divisor);
        if (p.is_reduced) return value;
        return spio::floor_modulo(value, static_cast<int>(period / stride));
    }
};
