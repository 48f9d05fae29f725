// From a problem to its results, in the fewest lines: y = a x + b y on a GPU, or on the host.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, here for vectors of n numbers.
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

import spio.axpby;
import spio.host;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace axpby = spio::axpby;

int main() try {
    // The host device takes the place of a GPU where there is none.
    spio::runtime const runtime({.host = spio::host_machine{.allocate = spio::host::allocate,
                                                            .release = spio::host::release,
                                                            .find = spio::host::find}});
    auto const& device = runtime.target_device();
    spio::stream const stream(device);

    constexpr int n = 1000;
    auto const kernel = runtime.load(axpby::specialize({.n = n}, runtime.arch()));

    std::vector<float> const x(n, 3), y(n, 5);
    std::vector<float> result(n);
    spio::array<float> const device_x(device, n, "x"), device_y(device, n, "y");
    stream.write(device_x, std::span(x));
    stream.write(device_y, std::span(y));
    kernel.launch(stream, {.a = 2,
                           .x = device_x.as<axpby::scalars>(axpby::N(n)),
                           .b = 10,
                           .y = device_y.as<axpby::scalars>(axpby::N(n))});
    stream.read(std::span(result), device_y);
    stream.synchronize();

    std::printf("2 * 3 + 10 * 5 = %g\n", result[0]);
    return result == std::vector<float>(n, 56) ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
