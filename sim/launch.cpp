// Checks the shape of a launch, and spreads its clusters over threads of the OS.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that takes clusters of the grid, one after the other. A misuse breaks a
// rule of the GPU; the first one ends the launch.
#include "sim/launch.h"

#include "sim/scheduler/worker.h"
#include "sim/unwritten_reads.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <thread>
#include <vector>

namespace spio::sim {

static std::atomic<bool> finds_unwritten_reads = false;

void look_for_unwritten_reads(bool is_wanted) { finds_unwritten_reads = is_wanted; }

// Whether each of x, y and z is from 1 to that of the limit.
static bool is_within(extent const& size, extent const& limit) {
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= limit.x && size.y <= limit.y &&
           size.z <= limit.z;
}

// Says why no GPU would accept a launch of this shape; empty if the shape is valid.
static std::string shape_problem(launch_shape const& launch) {
    auto const& [grid, shape] = launch;
    auto const& [block, cluster, shared_bytes, overlaps] = shape;
    constexpr extent unlimited = {INT_MAX, INT_MAX, INT_MAX};
    char text[200] = "";
    auto const is_positive = [&](char const* name, extent const& size, char const* unit) {
        if (is_within(size, unlimited)) return true;
        std::snprintf(text, sizeof text, "a %s of %d x %d x %d %s: each number must be 1 or more",
                      name, size.x, size.y, size.z, unit);
        return false;
    };
    if (!is_positive("grid", grid, "blocks") || !is_positive("block", block, "threads") ||
        !is_positive("cluster", cluster, "blocks")) {
        return text;
    }
    if (!is_within(grid, {INT_MAX, 65535, 65535})) {
        std::snprintf(text, sizeof text,
                      "a grid of %d x %d x %d blocks: it can have 65535 in y and in z", grid.x,
                      grid.y, grid.z);
    } else if (!is_within(block, {1024, 1024, 64}) || block.count() > 1024) {
        std::snprintf(text, sizeof text,
                      "a block of %d x %d x %d threads: it can have 1024, and 64 in z", block.x,
                      block.y, block.z);
    } else if (shared_bytes < 0 || shared_bytes > max_shared_bytes) {
        std::snprintf(text, sizeof text, "%d bytes of shared memory: a block can have %d",
                      shared_bytes, max_shared_bytes);
    } else if (!is_within(cluster, {16, 16, 16}) || cluster.count() > 16 ||
               grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
        std::snprintf(text, sizeof text,
                      "clusters of %d x %d x %d blocks, which do not divide the grid of %d x %d x "
                      "%d, or are more than 16",
                      cluster.x, cluster.y, cluster.z, grid.x, grid.y, grid.z);
    }
    return text;
}

report run_grid(char const* kernel, launch_shape const& shape, void (*run)(void const*),
                void const* body, launch_options const& options) {
    note_fault_place(nullptr, {});
    if (auto const problem = shape_problem(shape); !problem.empty()) {
        return {misuse::launch_malformed, kernel, {0, 0, 0}, {0, 0, 0}, problem};
    }
    auto const& [grid, block_shape] = shape;
    gpu_launch launch;
    launch.kernel = kernel;
    launch.grid = grid;
    launch.shape = block_shape;
    launch.options = options;
    launch.options.unwritten_reads |= finds_unwritten_reads;
    launch.run = run;
    launch.body = body;
    if ((options.races && grid.count() > 1) || launch.options.unwritten_reads) {
        launch.writers = global_shadow::writer_range(grid.count());
    }
    auto const clusters = grid.count() / block_shape.cluster.count();
    int const os_threads = options.os_threads > 0
                               ? options.os_threads
                               : static_cast<int>(std::thread::hardware_concurrency());
    auto const workers = static_cast<int>(std::clamp<long long>(os_threads, 1, clusters));
    launch.active_workers = workers;
    std::vector<std::thread> others;
    for (int i = 1; i < workers; i++) others.emplace_back([&] { run_clusters(launch); });
    run_clusters(launch);
    for (auto& other : others) other.join();
    // last_fault_place() returns this later, so that debug information can tell the line.
    note_fault_place(launch.faulty_code, std::move(launch.drawing));
    return launch.first_misuse;
}

} // namespace spio::sim
