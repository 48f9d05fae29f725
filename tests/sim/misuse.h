// Planted misuses and their correct twins, launched in many orders of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/launch.h"

#include <doctest/doctest.h>
#include <regex>

namespace planted {

using spio::sim::launch_options;
using spio::launch_shape;
using spio::sim::misuse;
using spio::sim::report;

// Threads in order, shuffled (odd seeds), and by warps of changing priority (even seeds).
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

inline int misuses_reported = 0;
inline int correct_kernels = 0;

// In every order the launch must report this kind of misuse, with a sentence that matches.
template <class Body>
void expect_misuse(misuse kind, char const* sentence, launch_shape const& shape, Body const& body) {
    for (auto const& order : orders) {
        report const result = spio::sim::launch("planted", shape, body, order);
        CAPTURE(result.text());
        CAPTURE(order.seed);
        CHECK(std::string(name_of(result.kind)) == name_of(kind));
        CHECK(std::regex_search(result.sentence, std::regex(sentence)));
    }
    misuses_reported++;
}
// In every order the launch must report nothing.
template <class Body> void expect_no_misuse(launch_shape const& shape, Body const& body) {
    for (auto const& order : orders) {
        report const result = spio::sim::launch("planted", shape, body, order);
        CAPTURE(order.seed);
        CHECK(result.text() == "no misuse");
    }
    correct_kernels++;
}

} // namespace planted
