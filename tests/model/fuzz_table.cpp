// Feeds the reader of models: whatever it accepts has values for every row.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees in a text file. A fuzzer calls the function below
// with inputs that it varies.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

import spio.error;
import spio.model;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
    try {
        auto const forest =
            spio::model::forest::parse({reinterpret_cast<char const*>(bytes), count}, "the input");
        auto const width = forest.features().size();
        constexpr float infinity = std::numeric_limits<float>::infinity();
        for (float const number : {0.0f, -1e30f, infinity, -infinity, std::nanf("")}) {
            std::vector<float> const rows(9 * width, number);
            std::vector<float> values(9);
            forest.predict(rows, values);
            for (float const value : values) {
                // The same row, alone or among others, has the same value.
                if (!(value == values.front()) && !std::isnan(value)) std::abort();
            }
            // Of rows that are the same, the first is the least.
            if (forest.least(rows, std::vector<double>(9)) != 0) std::abort();
            if (forest.first_outside(std::span(rows).first(width)) > width) std::abort();
        }
    } catch (spio::error const&) {
    }
    return 0;
}
