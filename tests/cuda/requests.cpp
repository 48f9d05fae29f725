// The numbers that spio.cuda passes to the driver for launches, streams, events and memory.
// SPDX-License-Identifier: Apache-2.0
//
// A fake driver stands in for CUDA's, and records the arguments of the last call as text. For a
// launch these are the blocks of the grid, the threads of a block, the bytes of shared memory, and
// the attributes that a launch has only if it needs them: the blocks of a cluster, and attribute 6
// (programmatic stream serialization), which lets it begin while the previous kernel still runs.
// Flags of 0 are the driver's defaults; flag 2 of an event disables timing.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

import spio.cuda;
import spio.fake_driver;

using namespace spio::cuda;
using spio::extent;
using spio::launch_shape;

namespace {

// The parameters of the fake driver's kernels, which compute y = a x + b y.
struct vector {
    float* data;
    int size;
};
struct addition {
    float a;
    vector x;
    float b;
    vector y;
};

// The fake driver's kernel, loaded on its first GPU, with parameters and a stream.
struct loaded_addition {
    // The magic number of ELF and the names of the kernels.
    static constexpr char text[] = "\177ELF"
                                   "add ";
    driver const cuda{fake::find};
    context const gpu{cuda.device(0)};
    library const image{cuda, std::as_bytes(std::span(text)), "additions"};
    function_ref const add = image.kernel("add").load(gpu);
    stream const queue{gpu};
    addition none = {};
    void* parameters[1] = {&none};
};

std::string text_of(extent size) {
    return std::to_string(size.x) + " " + std::to_string(size.y) + " " + std::to_string(size.z);
}

// The arguments of the driver's last call.
std::string const& request() { return fake::the_machine().request; }

} // namespace

TEST_CASE("the driver is told each size of a launch, and an attribute only if it is needed") {
    loaded_addition loaded;
    for (extent const grid : {extent{8, 1, 1}, extent{8, 3, 1}, extent{16, 2, 5}}) {
        for (extent const block : {extent{32, 1, 1}, extent{4, 8, 2}}) {
            for (extent const cluster :
                 {extent{}, extent{2, 1, 1}, extent{1, 3, 1}, extent{1, 1, 5}, extent{8, 1, 1}}) {
                for (bool const overlaps : {false, true}) {
                    launch_shape const shape = {grid, {block, cluster, 4 * grid.x, overlaps}};
                    auto text = "grid " + text_of(grid) + ", block " + text_of(block) +
                                ", shared " + std::to_string(4 * grid.x);
                    if (cluster != extent{}) text += ", cluster " + text_of(cluster);
                    if (overlaps) text += ", attribute 6 1";
                    launch(loaded.add, shape, loaded.queue, loaded.parameters);
                    CHECK(request() == text);
                    launch(loaded.add, shape, stream_ref::legacy(loaded.gpu), loaded.parameters);
                    CHECK(request() == text);
                    if (cluster == extent{} && !overlaps) continue;
                    active_clusters(loaded.add, shape, loaded.queue);
                    CHECK(request() == text);
                }
            }
        }
    }
    constexpr int threads = 256, shared_bytes = 1000;
    CHECK(loaded.add.blocks_per_multiprocessor(threads, shared_bytes) == 8);
    CHECK(request() == "shared 1000");
}

TEST_CASE("streams have the priority that they are given, and events have times or not") {
    driver const driver(fake::find);
    context const context(driver.device(1));
    for (int const priority : {-5, 0, 2}) {
        stream const stream(context, priority);
        CHECK(request() == "priority " + std::to_string(priority));
    }
    stream const stream(context);
    CHECK(request() == "priority 0");
    event const timed(context, timing::on);
    CHECK(request() == "flags 0");
    event const untimed(context, timing::off);
    CHECK(request() == "flags 2");
    fake::the_machine().request.clear();
    stream_ref(stream).wait(timed);
    CHECK(request() == "flags 0");
    fake::the_machine().request.clear();
    host_memory const pinned(context, 16);
    CHECK(request() == "flags 0");
    fake::the_machine().request.clear();
    begin_capture(stream);
    executable_graph const graph(end_capture(stream));
    CHECK(request() == "flags 0");
}

TEST_CASE("the time of a launch is the median over replays of a graph of launches") {
    loaded_addition loaded;
    // The seconds of a launch, replay by replay; the first is not timed.
    double const seconds[] = {50, 3, 1, 4, 2};
    int runs = 0;
    fake::the_machine().milliseconds_of_kernel = [&](std::string const&) {
        return 1000 * seconds[runs++ / 3];
    };
    auto const time_of = [&](unsigned replays) {
        runs = 0;
        std::string numbers;
        auto const time = microseconds_of_launch(loaded.queue, 3, replays, [&](unsigned number) {
            numbers += std::to_string(number);
            launch(loaded.add, {.grid = {1}, .shape = {.block = {32}}}, loaded.queue,
                   loaded.parameters);
        });
        CHECK(numbers == "012");
        return time;
    };
    CHECK(time_of(3) == 3e6);
    CHECK(time_of(4) == 2.5e6); // between 2 and 3 seconds
    CHECK(runs == 3 * 5);
    fake::the_machine().milliseconds_of_kernel = nullptr;
}

TEST_CASE("a device has the name, number, memory and identity that the driver reports"
          " (GPU.device_attributes)") {
    driver const driver(fake::find);
    CHECK(driver.device_count() == 2);
    CHECK(driver.version() == 13000);
    for (int ordinal = 0; ordinal < 2; ++ordinal) {
        auto const device = driver.device(ordinal);
        CHECK(device.ordinal() == ordinal);
        CHECK(device.name() == "Fake " + std::to_string(ordinal));
        CHECK(device.memory_bytes() == std::size_t{1} << 30);
        CHECK(device.capability().major == 9);
        CHECK(device.capability().minor == 0);
        auto const uuid = device.uuid();
        for (std::size_t byte = 0; byte < uuid.size(); ++byte) {
            CHECK(uuid[byte] == (byte == 15 ? ordinal + 1 : 0));
        }
        auto const usual = std::exchange(fake::the_machine().name, std::string(300, 'n'));
        CHECK(device.name() == std::string(255, 'n'));
        fake::the_machine().name = usual;
        context const context(device);
        CHECK(context_ref(context).memory().free == 1);
        CHECK(context_ref(context).memory().total == 2);
        CHECK(context_ref(context).device().ordinal() == ordinal);
    }
}
