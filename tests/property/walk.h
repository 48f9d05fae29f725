// A walk through a layout as a list of terms, whose values can be drawn and added up.
// SPDX-License-Identifier: Apache-2.0
//
// A walk subscripts a tensor with several values, one after the other; its end is the position that
// they add up to. A digit of a position in a base (a dimension) is floor(position / stride) mod
// size. A compound index is one number for several digits. Dice draw random numbers.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "model.h"
#include "seed.h"

namespace oracle {

// One number of a walk: a value of a dimension, or an offset in a compound index.
struct term {
    std::vector<digit> digits; // the last fastest; a base of -1 is no base of the layout
    bool is_index = false;
    number bound = 0; // 0: none
    int sign = 1;

    // Adds this value of the term to a position.
    void add_to(position& p, number value) const {
        for (std::size_t d = digits.size(); d-- > 0;) {
            number const digit_value = d > 0 ? floor_rest(value, digits[d].size) : value;
            if (d > 0) value = floor_quotient(value, digits[d].size);
            if (digits[d].base >= 0) p[digits[d].base] += sign * digit_value * digits[d].stride;
        }
    }
};

class walk {
  public:
    // + K 8 0   a value of fold<K, 8>        + K 8 4   of one that is below 4
    // - K 8 0   one that is subtracted       index 64 2 K 8 8 I 1 8   an offset below 64
    static walk parse(layout const& shape, std::string const& text) {
        walk result;
        std::istringstream words(text);
        std::string word;
        while (words >> word) {
            term& t = result.terms.emplace_back();
            t.is_index = word == "index";
            t.sign = word == "-" ? -1 : 1;
            int count = 1;
            if (t.is_index) words >> t.bound >> count;
            for (int i = 0; i < count; ++i) {
                digit d;
                words >> word >> d.stride >> d.size;
                d.base = shape.base_named(word);
                t.digits.push_back(d);
            }
            if (!t.is_index) t.bound = t.digits[0].size;
        }
        return result;
    }

    // Values whose sum mostly stays in the layout, or lies anywhere near it.
    std::vector<int> draw(dice& random, layout const& shape) const {
        bool const inside = !random.one_in(3);
        std::vector<int> values;
        for (term const& t : terms) {
            if (t.bound > 0) {
                values.push_back(random.draw_below(static_cast<int>(t.bound)));
                continue;
            }
            digit const& d = t.digits[0];
            number const extent = d.base < 0 ? 8 : shape.bases[d.base].extent;
            number const reach = extent / d.stride / (inside ? number(terms.size()) / 2 + 1 : 1);
            number const low = inside ? (random.one_in(4) ? -3 : 0) : -reach - 3;
            values.push_back(static_cast<int>(random.draw_between(low, reach + (inside ? 0 : 3))));
        }
        return values;
    }

    // The sum of all terms with these values.
    position end(layout const& shape, std::vector<int> const& values) const {
        position p(shape.bases.size());
        for (std::size_t i = 0; i < terms.size(); ++i) terms[i].add_to(p, values[i]);
        return p;
    }

    std::vector<term> terms;
};

} // namespace oracle
