// Kernels are loaded, launched and unloaded thousands of times, and the process does not grow.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. The fake
// driver stands for CUDA's: it keeps memory and kernels in plain objects, and can fail any call. A
// policy says whether images come from packs (files of them), from a compiler at run time, or both.
// fake::the_machine() has the state of the fake driver. no_source stands for packs, or for a
// compiler, where there are none.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

import spio.added_images;
import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// The memory of this process that is in RAM.
long resident_kilobytes() {
    std::ifstream file("/proc/self/statm");
    long total = 0, resident = 0;
    file >> total >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

} // namespace

// SPIO_TEST_ROUNDS is how many rounds to run. Without it the case is skipped: it takes seconds, and
// memory of other cases would be counted.
TEST_CASE("Rounds of load, launch and unload leave nothing behind" *
          doctest::description("run by launch.rounds") *
          doctest::skip(std::getenv("SPIO_TEST_ROUNDS") == nullptr)) {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    auto const spec = axpby::specialize({.n = 1000}, gpu.arch());
    // What the fake driver takes for a cubin: the mark of an ELF file, and the kernel's name.
    std::string const text = "\177ELF" + spec.symbol + " " + '\0';
    added_images shipped;
    shipped.add(image_of_bytes(spec, image_kind::cubin, std::as_bytes(std::span(text)), "a test"));
    no_source const no_compiler;
    images const images(shipped, no_compiler, policy::aot_only);
    stream const stream(gpu);
    array<float> const x(gpu, 1), y(gpu, 1);
    stream.write(x, std::vector<float>{1});
    stream.write(y, std::vector<float>{0});
    auto const scalar_view = [](array<float> const& values) {
        return values.as<axpby::scalars>(axpby::N(1));
    };

    int const rounds = std::atoi(std::getenv("SPIO_TEST_ROUNDS")), warm_up = rounds / 5;
    std::size_t objects = 0;
    long initial = 0;
    for (int round = 0; round < rounds + warm_up; ++round) {
        if (round == warm_up) initial = resident_kilobytes();
        {
            kernels const kernels(gpu);
            stream.launch(kernels.load(images.find(spec)),
                          {.a = 1, .x = scalar_view(x), .b = 1, .y = scalar_view(y)});
        }
        machine.calls.clear();
        objects = std::max(objects, machine.objects.size());
    }
    long const growth = resident_kilobytes() - initial;
    std::vector<float> sum(1);
    stream.read(std::span(sum), y);
    stream.synchronize();
    CHECK(sum[0] == static_cast<float>(rounds + warm_up));
    // The context, the stream and two arrays.
    CHECK(machine.objects.size() == 4);
    CHECK(objects == 4);
    CHECK(growth < 1024);
    std::cout << "summary: launch.rounds: " << rounds << " loads and unloads leave "
              << machine.objects.size() << " objects and " << growth << " KiB more\n";
}
