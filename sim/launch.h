// Launches: every thread of a grid runs a kernel, on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report.h"

namespace spio::sim {

struct launch_shape {
    extent grid = {};
    extent block = {};
    extent cluster = {};
    int dynamic_shared_bytes = 0;
    char const* name = "kernel";
    // Whether the kernel may begin before the kernels before it have ended (sm_90).
    bool overlaps_previous = false;
};

struct launch_options {
    int os_threads = 0;          // OS threads that run blocks; 0: one per processor
    bool races = true;           // whether to report data races
    unsigned long long seed = 0; // shuffles the threads' order; 0: first in, first out
    // Whether to look for reads of global memory that neither the host nor a kernel has written.
    // Memory that the host has filled with bytes 0xff counts as unwritten.
    bool unwritten_reads = false;
};

// Runs the grid: each of its threads calls run(body). The first misuse ends the launch and is
// returned.
report run_grid(launch_shape const& shape, void (*run)(void const*), void const* body,
                launch_options const& options);

// Runs a grid whose threads each call `body`, a lambda that calls the kernel with its parameters.
//     launch({.grid = {4}, .block = {128}, .name = "axpby"}, [&] { axpby(p); })
template <class Body>
report launch(launch_shape const& shape, Body const& body, launch_options const& options = {}) {
    return run_grid(
        shape, [](void const* pointer) { (*static_cast<Body const*>(pointer))(); }, &body, options);
}

} // namespace spio::sim
