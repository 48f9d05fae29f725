// Runs convolutions in guarded and poisoned memory, and compares with sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// residual is a tensor that is added to the output, a preactivation the value before the
// activation, of which dgrad takes the derivative. host_value<T> is what the host has for T: T, or
// the bits of a half.
module;

#include "conv2d/problem.h"
#include "tests/conv2d/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

export module convolution_work;

import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;
import spio.runtime;
import spio.spec;

export namespace work {

using namespace spio;
using namespace spio::conv2d;

constexpr std::size_t guard = 512; // elements on each side of an array

// An array between two guards full of bytes 0xff (poison); a kernel that writes into them is wrong.
template <class T> class guarded {
  public:
    using value = host_value<T>;

    guarded(stream const& stream, std::vector<value> const& values)
        : stream_(stream), size_(values.size()), array_(device_, size_ + 2 * guard) {
        std::vector<value> padded(array_.size());
        std::memset(padded.data(), 0xff, padded.size() * sizeof(value));
        std::ranges::copy(values, padded.begin() + guard);
        stream_.write(array_, std::span<value const>(padded));
        stream_.synchronize();
    }
    // An array for results: its elements begin as poison.
    guarded(stream const& stream, std::size_t size) : guarded(stream, poison(size)) {}
    // Sets the device on which all arrays of this type are allocated.
    static void use(device const& device) { device_ = device; }

    T* get() const { return reinterpret_cast<T*>(reinterpret_cast<value*>(array_.data()) + guard); }
    // The elements; sets the flag to false if a kernel has written to a guard.
    std::vector<value> read(bool& guards_are_whole) const {
        std::vector<value> padded(array_.size());
        stream_.read(std::span(padded), array_);
        stream_.synchronize();
        auto const is_poison = [](value const& v) {
            value ones;
            std::memset(&ones, 0xff, sizeof ones);
            return std::memcmp(&v, &ones, sizeof ones) == 0;
        };
        auto const begin = padded.begin() + guard, end = padded.end() - guard;
        guards_are_whole &= std::all_of(padded.begin(), begin, is_poison) &&
                            std::all_of(end, padded.end(), is_poison);
        return {begin, end};
    }

  private:
    static inline device device_{nullptr};
    stream const& stream_;
    std::size_t size_;
    array<T> array_;

    // Bytes 0xff, which no kernel writes as a result.
    static std::vector<value> poison(std::size_t size) {
        std::vector<value> ones(size);
        if (size > 0) std::memset(ones.data(), 0xff, size * sizeof(value));
        return ones;
    }
};

// The value of an element of an array, from a float or from 16 bits of the type.
double number(float value, element_type) { return static_cast<double>(value); }
double number(unsigned short bits, element_type type) { return number_of(bits, type); }

// Counts of what was run and compared.
struct tally {
    std::size_t problems = 0, numbers = 0, wrong = 0, repeats = 0;
    double worst = 0; // the greatest error, as a part of its bound

    // Counts the results, and those that are not within their bounds.
    template <class Number>
    void compare(problem const& problem, std::vector<Number> const& result,
                 double_sums const& exact, precision output_precision) {
        if (result.size() != exact.values.size()) ++wrong;
        for (std::size_t i = 0; i < result.size(); ++i) {
            double const error = std::abs(number(result[i], problem.type) - exact.values[i]);
            double const most =
                conv2d::bound(products_of(problem), exact.values[i], exact.magnitudes[i],
                              output_precision, exact.error(i));
            ++numbers;
            if (!(error <= most)) ++wrong;
            if (most > 0 && error <= most) worst = std::max(worst, error / most);
        }
    }
};

// Sizes in elements: x is the input of the forward pass, y its output; a correlation, which is
// fprop or dgrad, reads its own input (of dgrad, the gradient of y) and writes its own output.
using test::elements;
long long size_of_x(problem const& problem) {
    return 1LL * problem.n * problem.h * problem.w * problem.c;
}
long long size_of_y(problem const& problem) {
    return 1LL * problem.n * problem.p() * problem.q() * problem.c;
}
long long size_of_input(problem const& problem) {
    return problem.pass == direction::fprop ? size_of_x(problem) : size_of_y(problem);
}
long long size_of_output(problem const& problem) {
    return problem.pass == direction::fprop ? size_of_y(problem) : size_of_x(problem);
}
// Groups have eight channels.
long long size_of_filter(problem const& problem) { return 8LL * problem.c * problem.taps(); }

// Launches once or more often; every launch must give the same result, which is returned.
template <class Read, class Launch>
auto repeated_result(int repeats, tally& tally, Read reader, Launch launch) {
    launch();
    auto const first = reader();
    for (int run = 1; run < repeats; ++run) {
        launch();
        if (reader() != first) ++tally.wrong;
        ++tally.repeats;
    }
    return first;
}

// A random number for each channel, or none where the problem has no such operand.
std::vector<float> floats_of_channels(std::mt19937& random, problem const& problem, bool exist) {
    std::vector<float> values(static_cast<std::size_t>(exist ? problem.c : 0));
    for (auto& each : values) each = std::uniform_real_distribution<float>(-2, 2)(random);
    return values;
}

// Runs fprop or dgrad once on random tensors, and compares.
template <class T>
void run_correlation(runtime const& gpu, stream const& stream, std::mt19937& random,
                     problem const& problem, config const& config, int repeats, tally& tally) {
    auto const input = elements(random, size_of_input(problem), problem.type);
    auto const filter = elements(random, size_of_filter(problem), problem.type);
    auto const bias = floats_of_channels(random, problem, problem.bias);
    auto const scale = floats_of_channels(random, problem, problem.scale);
    auto const of_output = [&](bool exists) { return exists ? size_of_output(problem) : 0; };
    auto const residual = elements(random, of_output(problem.residual), problem.type);
    auto const input_preactivation =
        elements(random, problem.has_derivative() ? size_of_input(problem) : 0, problem.type);

    convolution const layer(gpu, problem, config);
    guarded<T> const input_array(stream, input), filter_array(stream, filter);
    guarded<float> const bias_array(stream, bias), scale_array(stream, scale);
    guarded<T> const residual_array(stream, residual);
    guarded<T> const input_preactivation_array(stream, input_preactivation);
    guarded<T> const output_array(stream, static_cast<std::size_t>(of_output(true)));
    guarded<T> const preactivation_array(
        stream, static_cast<std::size_t>(of_output(problem.preactivation)));
    correlation const sizes = correlation_of(problem);
    auto const like_input = [&](T const* data) {
        return input_of<T const>(data, N(problem.n), H(sizes.h), W(sizes.w), C(problem.c));
    };
    auto const like_output = [&]<class U>(U* data) {
        return output_of<U>(data, N(problem.n), P(sizes.p), Q(sizes.q), K(problem.c));
    };
    correlation_args<T> const args = {
        .input = like_input(input_array.get()),
        .filter = filter_of<T const>(filter_array.get(), K(problem.c), R(problem.r), S(problem.s)),
        .bias = bias_of<float const>(bias_array.get(), K(problem.bias ? problem.c : 0)),
        .output = like_output(output_array.get())};
    epilogue_args<T> const epilogue = {
        .scale = bias_of<float const>(scale_array.get(), K(problem.c)),
        .residual = like_output(static_cast<T const*>(residual_array.get())),
        .preactivation = like_output(preactivation_array.get()),
        .input_preactivation = like_input(input_preactivation_array.get())};
    bool is_whole = true;
    auto const [output, preactivation] = repeated_result(
        repeats, tally,
        [&] { return std::pair(output_array.read(is_whole), preactivation_array.read(is_whole)); },
        [&] { layer.launch(stream, args, epilogue); });
    auto const exact = reference(problem, {.input = input,
                                           .filter = filter,
                                           .bias = bias,
                                           .scale = scale,
                                           .residual = residual,
                                           .preactivation = input_preactivation});
    tally.compare(problem, output, exact.output, precision_of(problem.type));
    tally.compare(problem, preactivation, exact.preactivation, precision_of(problem.type));
    if (!is_whole) ++tally.wrong;
}

// Runs wgrad once on random tensors, and compares.
template <class Gradient, class T>
void run_gradient(runtime const& gpu, stream const& stream, std::mt19937& random,
                  problem const& problem, config const& config, int repeats, tally& tally) {
    auto const x = elements(random, size_of_x(problem), problem.type),
               dy = elements(random, size_of_y(problem), problem.type);
    weight_gradient const layer(gpu, problem, config);
    guarded<T> const x_array(stream, x), dy_array(stream, dy);
    guarded<Gradient> const dw(stream, static_cast<std::size_t>(size_of_filter(problem)));
    guarded<float> const dbias(stream, static_cast<std::size_t>(problem.bias ? problem.c : 0));
    guarded<float> const workspace(stream, layer.workspace_floats());
    bool is_whole = true;
    auto const result = repeated_result(
        repeats, tally, [&] { return std::pair(dw.read(is_whole), dbias.read(is_whole)); },
        [&] {
            layer.launch(
                stream,
                wgrad_args<Gradient, T>{
                    .x = input_of<T const>(x_array.get(), N(problem.n), H(problem.h), W(problem.w),
                                           C(problem.c)),
                    .dy = output_of<T const>(dy_array.get(), N(problem.n), P(problem.p()),
                                             Q(problem.q()), K(problem.c)),
                    .dw = filter_of<Gradient>(dw.get(), K(problem.c), R(problem.r), S(problem.s)),
                    .dbias = bias_of<float>(dbias.get(), K(problem.bias ? problem.c : 0)),
                    .workspace = floats(workspace.get(),
                                        FLOAT(static_cast<int>(layer.workspace_floats())))});
        });
    auto const exact = reference_gradients(problem, x, dy);
    tally.compare(problem, result.first, exact.filter, problem.gradient);
    tally.compare(problem, result.second, exact.bias, precision::fp32);
    workspace.read(is_whole);
    if (!is_whole) ++tally.wrong;
}

} // namespace work
