// Kernels with a planted misuse, and correct ones, launched in many orders of threads.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. A planted kernel has a misuse on purpose.
#pragma once

#include "sim/launch.h"

#include <doctest/doctest.h>
#include <functional>

namespace planted {

using spio::launch_shape;
using spio::sim::launch_options;
using spio::sim::misuse;
using spio::sim::report;

// The orders in which threads run: as they come, shuffled (odd seeds), and by warps of changing
// priority (even seeds).
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

// What was launched so far, for a line that figures.cpp prints at the end.
inline int misuses_reported = 0;
inline int correct_kernels = 0;

// In every order the launch of the kernel must report this kind of misuse, with a sentence that
// matches the regular expression.
void expect_misuse(misuse kind, char const* sentence, launch_shape const& shape,
                   std::function<void()> const& kernel);
// In every order the launch must report nothing.
void expect_no_misuse(launch_shape const& shape, std::function<void()> const& kernel);

} // namespace planted
