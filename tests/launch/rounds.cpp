// Kernels are loaded, launched and unloaded over and over, and nothing grows.
// SPDX-License-Identifier: Apache-2.0
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

import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

long resident_kilobytes() {
    std::ifstream file("/proc/self/statm");
    long all = 0, resident = 0;
    file >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

} // namespace

// By itself, since it takes some seconds and other tests grow.
TEST_CASE("Rounds of load, launch and unload leave nothing behind" *
          doctest::description("run by launch.rounds") *
          doctest::skip(std::getenv("SPIO_TEST_ROUNDS") == nullptr)) {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    auto const of = axpby::specialize({.n = 1000}, gpu.arch());
    std::string const text = "\177ELF" + of.symbol + " " + '\0';
    memory_source shipped;
    shipped.add(image_of_bytes(of, image_kind::cubin, std::as_bytes(std::span(text)), "a test"));
    no_source const nothing;
    images const images(shipped, nothing, policy::aot_only);
    stream const stream(gpu);
    array<float> const x(gpu, 1), y(gpu, 1);
    stream.write(x, std::vector<float>{1});
    stream.write(y, std::vector<float>{0});
    auto const one = [](array<float> const& in) { return in.as<axpby::scalars>(axpby::N(1)); };

    int const rounds = std::atoi(std::getenv("SPIO_TEST_ROUNDS")), warm_up = rounds / 5;
    std::size_t objects = 0;
    long before = 0;
    for (int round = 0; round < rounds + warm_up; ++round) {
        if (round == warm_up) before = resident_kilobytes();
        {
            kernels const all(gpu);
            stream.launch(all.load(images.find(of)), {.a = 1, .x = one(x), .b = 1, .y = one(y)});
        }
        machine.calls.clear();
        objects = std::max(objects, machine.objects.size());
    }
    long const grown = resident_kilobytes() - before;
    std::vector<float> sum(1);
    stream.read(std::span(sum), y);
    stream.synchronize();
    CHECK(sum[0] == static_cast<float>(rounds + warm_up));
    // The context, the stream and two arrays.
    CHECK(machine.objects.size() == 4);
    CHECK(objects == 4);
    CHECK(grown < 1024);
    std::cout << "figure: launch.rounds: " << rounds << " loads and unloads leave "
              << machine.objects.size() << " objects and " << grown << " KiB more\n";
}
