// Kernels to be launched by a runtime, with the same numbers on each.
// SPDX-License-Identifier: Apache-2.0
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
    std::uniform_real_distribution<float> between(-2, 2);
    floats values(size);
    for (auto& each : values) each = between(random);
    return values;
}

// Arrays are a little longer than their tensors: where there is nothing, there is an array too.
template <class T> array<T> put(stream const& in, device const& on, std::vector<host_value<T>> v) {
    v.resize(v.size() + 8);
    array<T> made(on, v.size());
    in.write(made, v);
    in.synchronize();
    return made;
}

floats axpby_on(runtime const& r, typed_spec<axpby::params> const& of, int n) {
    stream const own(r.on());
    auto const size = static_cast<std::size_t>(n);
    auto const x = put<float>(own, r.on(), random_floats(size, 1));
    auto const y = put<float>(own, r.on(), random_floats(size, 2));
    auto const all = [&](auto const& in) { return in.template as<axpby::scalars>(axpby::N(n)); };
    own.launch(r.load(of), {.a = 1.7f, .x = all(x), .b = -0.3f, .y = all(y)});
    floats sums(y.size());
    own.read(std::span(sums), y);
    own.synchronize();
    return sums;
}

bits layernorm_on(runtime const& r, layernorm_2d::problem const& problem, int positions) {
    using namespace layernorm_2d;
    stream const own(r.on());
    auto const c = static_cast<std::size_t>(problem.channels);
    std::mt19937 random(3);
    bits halves(c * static_cast<std::size_t>(positions));
    for (auto& each : halves) each = static_cast<unsigned short>(0x3800 | (random() & 0x87ff));
    auto const x = put<half>(own, r.on(), halves), y = put<half>(own, r.on(), bits(halves.size()));
    auto const weight = put<float>(own, r.on(), random_floats(c, 4));
    auto const bias = put<float>(own, r.on(), random_floats(c, 5));
    auto const all = [&](auto const& in) {
        return in.template as<layernorm_2d::images>(X(positions), C(problem.channels));
    };
    auto const factors = C(problem.affine ? problem.channels : 0);
    own.launch(r.load(layernorm_2d::specialize(problem, r.arch())),
               {.x = all(x),
                .y = all(y),
                .weight = weight.as<factors_to_read>(factors),
                .bias = bias.as<factors_to_read>(factors)});
    bits got(y.size());
    own.read(std::span(got), y);
    own.synchronize();
    return got;
}

} // namespace work
