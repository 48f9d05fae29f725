// Gets a kernel of its own from a pack (compiled ahead), from NVRTC and for the host, and runs it.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; a policy says whether it comes from packs or from a
// compiler. no_source stands for packs, or for a compiler, where there are none.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

import softmax;
import spio.aot;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using softmax::Column;
using softmax::Row;

// The pack of compiled kernels in the program, and its end: CMake's spio_add_pack() links it in.
extern "C" std::byte const shipped[], shipped_end[];

// The host device takes the place of a GPU where there is none.
constexpr spio::host_machine the_host = {
    .allocate = spio::host::allocate, .release = spio::host::release, .find = spio::host::find};

static void print(spio::image const& image) {
    std::printf("%s for %s: %zu bytes from %s\n", image.line.c_str(), text_of(image.arch).c_str(),
                image.bytes.size(), image.made_by.c_str());
}

// The largest relative error of the results, compared with softmax in double.
static double largest_error(std::span<float const> x, std::span<float const> y, int columns,
                            double scale) {
    double largest = 0;
    auto const row_size = static_cast<std::size_t>(columns);
    for (std::size_t first = 0; first < x.size(); first += row_size) {
        auto const row = x.subspan(first, row_size);
        double sum = 0;
        for (float const value : row) sum += std::exp(scale * value);
        for (std::size_t c = 0; c < row_size; ++c) {
            double const expected = std::exp(scale * row[c]) / sum;
            largest = std::max(largest, std::abs(y[first + c] - expected) / expected);
        }
    }
    return largest;
}

int main() try {
    constexpr int rows = 37, columns = 1000;
    constexpr float scale = 0.125F;

    // From the pack, for each chip: the last one has no kernel of its own in it, and takes the PTX.
    spio::no_source const empty_source;
    spio::aot::pack const pack({shipped, shipped_end}, "softmax_example", /*keeper=*/nullptr);
    pack.verify();
    for (auto const* arch : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_120a"}) {
        spio::images const images(pack, empty_source, spio::policy::aot_only);
        print(images.find(softmax::specialize({columns}, spio::parse_arch(arch))));
    }

    // From NVRTC, where it is installed.
    spio::jit::just_in_time const compiler;
    try {
        spio::images const images(empty_source, compiler, spio::policy::jit_only);
        print(images.find(softmax::specialize({columns}, spio::sm_90a)));
    } catch (spio::error const& error) {
        std::printf("nothing compiled at run time: %s\n", error.what());
    }

    // On the GPU, or on the host where there is none.
    spio::runtime const runtime({.packs = {pack}, .host = the_host});
    auto const& device = runtime.target_device();
    auto const kernel = runtime.load(softmax::specialize({columns}, runtime.arch()));

    std::vector<float> x(rows * columns), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101) - 50;
    spio::stream const stream(device);
    spio::array<float> const device_x(device, x.size(), "x"), device_y(device, y.size(), "y");
    stream.write(device_x, std::span<float const>(x));
    kernel.launch(stream, {.x = device_x.as<softmax::input_matrix>(Row(rows), Column(columns)),
                           .y = device_y.as<softmax::output_matrix>(Row(rows), Column(columns)),
                           .scale = scale});
    stream.read(std::span(y), device_y);
    stream.synchronize();

    double const error = largest_error(x, y, columns, scale);
    bool const is_right = error < 1e-5;
    std::printf("softmax of %d rows on %s: %s\n", rows, device.name().c_str(),
                is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
