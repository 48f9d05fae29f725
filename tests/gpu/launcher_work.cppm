// Runs kernels of two families with the same numbers on any runtime.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; a pack is a file of compiled kernels. The host device
// simulates a GPU on the CPU. A family is the kernels of one operation. A typed_spec is a spec with
// the type of its parameters. host_value<T> is what the host has for T: T, or the bits of a half.
module;

#include <cstddef>
#include <random>
#include <span>
#include <vector>

export module launcher_work;

import spio.axpby;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;
import spio.spec;

export namespace work {

using namespace spio;

using bits = std::vector<unsigned short>;
using floats = std::vector<float>;

floats random_floats(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-2, 2);
    floats values(size);
    for (auto& each : values) each = uniform(random);
    return values;
}

// Arrays have eight elements more than their tensors, since no array can be empty.
template <class T>
array<T> put(stream const& stream, device const& device, std::vector<host_value<T>> values) {
    values.resize(values.size() + 8);
    array<T> memory(device, values.size());
    stream.write(memory, values);
    stream.synchronize();
    return memory;
}

// a x + b y of n random elements by this kernel; behind the sums are eight zeros.
floats axpby_on(runtime const& gpu, typed_spec<axpby::params> const& spec, int n) {
    stream const stream(gpu.target_device());
    auto const size = static_cast<std::size_t>(n);
    auto const x = put<float>(stream, gpu.target_device(), random_floats(size, /*seed=*/1));
    auto const y = put<float>(stream, gpu.target_device(), random_floats(size, /*seed=*/2));
    auto const scalar_view = [&](auto const& values) {
        return values.template as<axpby::scalars>(axpby::N(n));
    };
    stream.launch(gpu.load(spec),
                  {.a = 1.7f, .x = scalar_view(x), .b = -0.3f, .y = scalar_view(y)});
    floats sums(y.size());
    stream.read(std::span(sums), y);
    stream.synchronize();
    return sums;
}

// The LayerNorm of random halves of magnitudes from 0.5 to 2, as bits.
bits layernorm_on(runtime const& r, layernorm_2d::problem const& problem, int positions) {
    using namespace layernorm_2d;
    stream const stream(r.target_device());
    auto const c = static_cast<std::size_t>(problem.channels);
    std::mt19937 random(3);
    bits halves(c * static_cast<std::size_t>(positions));
    for (auto& each : halves) each = static_cast<unsigned short>(0x3800 | (random() & 0x87ff));
    auto const x = put<half>(stream, r.target_device(), halves),
               y = put<half>(stream, r.target_device(), bits(halves.size()));
    auto const weight = put<float>(stream, r.target_device(), random_floats(c, /*seed=*/4));
    auto const bias = put<float>(stream, r.target_device(), random_floats(c, /*seed=*/5));
    auto const images_view = [&](auto const& values) {
        return values.template as<layernorm_2d::images>(X(positions), C(problem.channels));
    };
    auto const factors = C(problem.affine ? problem.channels : 0);
    stream.launch(r.load(layernorm_2d::specialize(problem, r.arch())),
                  {.x = images_view(x),
                   .y = images_view(y),
                   .weight = weight.as<factors_to_read>(factors),
                   .bias = bias.as<factors_to_read>(factors)});
    bits result(y.size());
    stream.read(std::span(result), y);
    stream.synchronize();
    return result;
}

} // namespace work
