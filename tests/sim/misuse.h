// A planted misuse and its correct twin, launched in many orders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/launch.h"

#include <doctest/doctest.h>
#include <regex>

namespace planted {

using spio::sim::launch_options;
using spio::sim::launch_shape;
using spio::sim::misuse;
using spio::sim::report;

// One after the other, shuffled lanes, shuffled warps; by one OS thread and by four.
inline constexpr launch_options orders[] = {
    {.os_threads = 1},
    {.os_threads = 4},
    {.os_threads = 1, .seed = 1},
    {.os_threads = 1, .seed = 2},
    {.os_threads = 4, .seed = 3},
    {.os_threads = 4, .seed = 4},
    {.os_threads = 1, .seed = 5},
    {.os_threads = 1, .seed = 6},
};

inline int reported = 0;
inline int silent = 0;

// In every order the kernel must be refused, with this kind and a sentence like that.
template <class Body>
void expect(misuse kind, char const* sentence, launch_shape const& shape, Body const& body) {
    for (auto const& order : orders) {
        report const found = spio::sim::launch(shape, body, order);
        CAPTURE(found.text());
        CAPTURE(order.seed);
        CHECK(std::string(name_of(found.kind)) == name_of(kind));
        CHECK(std::regex_search(found.sentence, std::regex(sentence)));
    }
    reported++;
}
template <class Body> void expect_silence(launch_shape const& shape, Body const& body) {
    for (auto const& order : orders) {
        report const found = spio::sim::launch(shape, body, order);
        CAPTURE(order.seed);
        CHECK(found.text() == "no misuse");
    }
    silent++;
}

} // namespace planted
