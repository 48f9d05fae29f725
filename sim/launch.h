// Launches: every thread of a grid runs a kernel, on the host.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU. A report has its kind, its thread
// and a sentence; it converts to false if there was none.
#pragma once

#include "sim/report.h"
#include "spio/launch_values.h"

namespace spio::sim {

struct launch_options {
    int os_threads = 0;          // OS threads that run blocks; 0: one per processor
    bool races = true;           // whether to report data races
    unsigned long long seed = 0; // shuffles the threads' order; 0: first in, first out
    // Whether to look for reads of global memory that neither the host nor a kernel has written.
    // Memory that the host has filled with bytes 0xff counts as unwritten.
    bool unwritten_reads = false;
};

// Runs the grid of a kernel: each of its threads calls run(body). The first misuse ends the launch
// and is returned.
report run_grid(char const* kernel, launch_shape const& launch, void (*run)(void const*),
                void const* body, launch_options const& options);

// Runs a grid whose threads each call `body`, a lambda that calls the kernel with its parameters.
//     launch("axpby", {.grid = {4}, .shape = {.block = {128}}}, [&] { axpby(p); })
template <class Body>
report launch(char const* kernel, launch_shape const& shape, Body const& body,
              launch_options const& options = {}) {
    return run_grid(
        kernel, shape, [](void const* pointer) { (*static_cast<Body const*>(pointer))(); }, &body,
        options);
}

} // namespace spio::sim
