// Computes convolutions in double.
// SPDX-License-Identifier: Apache-2.0
//
// x is the input, y the output and dy its gradient; channels are convolved in groups of 8. A tap is
// an element of the filter's window. The gradient of the input is computed like a forward pass,
// with dy for the input, and is_backward is true then. A sum is kept with its magnitude, the sum of
// the absolute values of its products, since rounding errors are in proportion to it.
module;

#include "conv2d/problem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

module spio.conv2d;

import spio.spec;
import :reference;

namespace spio::conv2d {

namespace {

constexpr std::size_t unsigned_of(long long number) { return static_cast<std::size_t>(number); }

constexpr auto width = unsigned_of(group_width);

// The number of elements of an array.
checked_size product(std::initializer_list<int> sizes) {
    checked_size count = 1;
    for (int const size : sizes) count = count * size;
    return count;
}

// Throws if an argument, which `name` names, has another number of elements than expected.
void check_size(problem const& problem, char const* name, std::size_t size, checked_size expected) {
    if (!expected.is_too_large() && size == unsigned_of(expected.value)) return;
    throw error(error_kind::invalid, "reference", "conv2d " + text_of(problem),
                std::string(name) + " has " + std::to_string(size) + " elements, not " +
                    std::to_string(expected.value));
}

// The sums of arrays of this size, all zero.
double_sums zero_sums(problem const& problem, checked_size size) {
    auto const count = unsigned_of(size.value);
    if (size.is_too_large() || count > std::vector<double>().max_size()) {
        throw error(error_kind::invalid, "reference", "conv2d " + text_of(problem),
                    "the results have more elements than can be counted");
    }
    return {std::vector<double>(count), std::vector<double>(count)};
}

// Calls f(0) … f(count - 1), on as many threads as there are cores.
template <class Function> void for_each(std::size_t count, Function const& f) {
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
        for (std::size_t n; (n = next++) < count;) f(n);
    };
    std::vector<std::jthread> others;
    auto const cores = std::max(1u, std::thread::hardware_concurrency());
    auto const most = std::min<std::size_t>(cores, count);
    for (std::size_t n = 1; n < most; ++n) others.emplace_back(work);
    work();
}

// The numbers that the bits of elements stand for, from a table of all bit patterns.
std::vector<double> numbers_of(std::span<unsigned short const> elements, element_type type) {
    std::vector<double> table(1 << 16);
    for (std::size_t bits = 0; bits < table.size(); ++bits) {
        table[bits] = number_of(static_cast<unsigned short>(bits), type);
    }
    std::vector<double> numbers(elements.size());
    std::ranges::transform(elements, numbers.begin(), [&](auto bits) { return table[bits]; });
    return numbers;
}

// One side of the images x and y. Position p of y reads the positions stride p + dilation tap - pad
// of x.
struct side {
    int taps, pad, stride, dilation;
    int x_size, y_size;
};
side rows_side(problem const& problem) {
    return {problem.r, problem.pad_h, problem.stride_h, problem.dilation_h, problem.h, problem.p()};
}
side columns_side(problem const& problem) {
    return {problem.s, problem.pad_w, problem.stride_w, problem.dilation_w, problem.w, problem.q()};
}

// A tap of the filter, and the position that it pairs with the position asked for.
struct tap_position {
    int tap, position;
};
// The taps under which a position of y meets one of x, or (backward) a position of x one of y.
std::vector<tap_position> taps_inside(side const& side, int position, bool is_backward) {
    std::vector<tap_position> taps;
    for (int tap = 0; tap < side.taps; ++tap) {
        int const under_tap = side.dilation * tap - side.pad;
        if (!is_backward) {
            int const x = side.stride * position + under_tap;
            if (0 <= x && x < side.x_size) taps.push_back({tap, x});
        } else if (int const distance = position - under_tap; distance % side.stride == 0) {
            int const y = distance / side.stride;
            if (0 <= y && y < side.y_size) taps.push_back({tap, y});
        }
    }
    return taps;
}

// Maps an output channel and an input channel of its group to the index in the filter.
struct filter_index {
    conv2d::problem const& problem;
    bool is_backward;

    std::size_t operator()(std::size_t group, std::size_t output, std::size_t input, int r,
                           int s) const {
        auto const index = [&](std::size_t k, std::size_t c) {
            auto const tap = (group * width + k) * unsigned_of(problem.r * problem.s) +
                             unsigned_of(r * problem.s + s);
            return tap * width + c;
        };
        return is_backward ? index(input, output) : index(output, input);
    }
};

void check_inputs(problem const& problem, double_inputs const& inputs) {
    correlation const correlation = correlation_of(problem);
    auto const channels = unsigned_of(problem.c);
    check_size(problem, "the input", inputs.input.size(),
               product({problem.n, correlation.h, correlation.w, problem.c}));
    check_size(problem, "the filter", inputs.filter.size(),
               product({problem.c, problem.r, problem.s, group_width}));
    check_size(problem, "the bias", inputs.bias.size(), problem.bias ? channels : 0);
    check_size(problem, "the scale", inputs.scale.size(), problem.scale ? channels : 0);
    check_size(problem, "the input's preactivation", inputs.preactivation.size(),
               problem.has_derivative() ? inputs.input.size() : 0);
}

// Multiplies gradients of y by the derivative of the activation, as dgrad does with its input where
// the problem asks for that. Returns how far the kernel's values, of one product each, may be off.
std::vector<double> multiply_by_derivative(problem const& problem, std::vector<double>& gradients,
                                           std::span<unsigned short const> preactivation) {
    std::vector<double> errors(problem.has_derivative() ? gradients.size() : 0);
    auto const points = numbers_of(preactivation, problem.type);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        double const gradient = gradients[i];
        bool const is_exact = problem.activation == activation::relu;
        double const slope = derivative(points[i], problem.activation);
        gradients[i] = slope == 0 ? 0 : gradient * slope; // 0 for an infinite gradient too
        errors[i] = is_exact ? 0
                             : bound(1, gradients[i], /*magnitude=*/0, precision_of(problem.type),
                                     activation_unit * std::abs(gradient));
    }
    return errors;
}

// The sums of fprop before the epilogue, or of dgrad.
double_sums sums_of(problem const& problem, double_inputs const& inputs) {
    auto const& [input, filter, bias, scale, residual, preactivation] = inputs;
    check(problem);
    check_inputs(problem, inputs);
    correlation const correlation = correlation_of(problem);
    auto const channels = unsigned_of(problem.c);
    auto x = numbers_of(input, problem.type);
    auto const x_errors = multiply_by_derivative(problem, x, preactivation);
    auto const weights = numbers_of(filter, problem.type);
    filter_index const index = {problem, correlation.is_backward};

    auto sums = zero_sums(problem, product({problem.n, correlation.p, correlation.q, problem.c}));
    sums.errors.resize(x_errors.empty() ? 0 : sums.values.size());
    // Computes all channels of an output position, from its index in the sums.
    auto const make = [&](std::size_t image, int p, int q, std::size_t first) {
        double* const value = &sums.values[first];
        double* const magnitude = &sums.magnitudes[first];
        auto const rows = taps_inside(rows_side(problem), p, index.is_backward);
        auto const columns = taps_inside(columns_side(problem), q, index.is_backward);
        for (auto const& [r, h] : rows) {
            for (auto const& [s, w] : columns) {
                auto const row = image * unsigned_of(correlation.h) + unsigned_of(h);
                auto const pixel = row * unsigned_of(correlation.w) + unsigned_of(w);
                for (std::size_t k = 0; k < channels; ++k) {
                    auto const group = k / width;
                    for (std::size_t c = 0; c < width; ++c) {
                        auto const element = pixel * channels + group * width + c;
                        double const weight = weights[index(group, k % width, c, r, s)];
                        double const term = x[element] * weight;
                        value[k] += term;
                        magnitude[k] += std::abs(term);
                        if (x_errors.empty()) continue;
                        sums.errors[first + k] += x_errors[element] * std::abs(weight);
                    }
                }
            }
        }
        for (std::size_t k = 0; k < channels; ++k) {
            double const factor = problem.scale ? static_cast<double>(scale[k]) : 1;
            double const shift = problem.bias ? static_cast<double>(bias[k]) : 0;
            value[k] = factor * value[k] + shift;
            magnitude[k] = std::abs(factor) * magnitude[k] + std::abs(shift);
        }
    };
    auto const rows = product({problem.n, correlation.p});
    for_each(unsigned_of(rows.value), [&](std::size_t row) {
        auto const height = unsigned_of(correlation.p);
        for (int q = 0; q < correlation.q; ++q) {
            auto const first = (row * unsigned_of(correlation.q) + unsigned_of(q)) * channels;
            make(row / height, static_cast<int>(row % height), q, first);
        }
    });
    return sums;
}

} // namespace

double_outputs reference(problem const& problem, double_inputs const& inputs) {
    double_outputs result = {.output = sums_of(problem, inputs), .preactivation = {}};
    if (!problem.has_epilogue()) return result;
    if (problem.preactivation) result.preactivation = result.output;
    auto& [values, magnitudes, errors] = result.output;
    check_size(problem, "the residual", inputs.residual.size(),
               problem.residual ? values.size() : 0);
    auto const residual = numbers_of(inputs.residual, problem.type);
    constexpr double steepest = 1.13; // slope of SiLU and GELU, which enlarges errors
    bool const is_smooth =
        problem.activation == activation::silu || problem.activation == activation::gelu;
    errors.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = activated(values[i], problem.activation);
        if (is_smooth) {
            magnitudes[i] *= steepest;
            errors[i] = activation_unit * std::abs(values[i]) + 0x1p-31; // where it is near 0
        }
        if (problem.residual) {
            values[i] += residual[i];
            magnitudes[i] += std::abs(residual[i]);
        }
    }
    return result;
}

double_gradients reference_gradients(problem const& problem, std::span<unsigned short const> x,
                                     std::span<unsigned short const> dy) {
    check(problem);
    check_size(problem, "x", x.size(), product({problem.n, problem.h, problem.w, problem.c}));
    check_size(problem, "the gradient of y", dy.size(),
               product({problem.n, problem.p(), problem.q(), problem.c}));
    auto const inputs = numbers_of(x, problem.type), gradients = numbers_of(dy, problem.type);
    auto const channels = unsigned_of(problem.c);
    double_gradients result = {
        zero_sums(problem, product({problem.c, problem.r, problem.s, group_width})),
        zero_sums(problem, problem.bias ? channels : 0)};
    auto const add = [](double_sums& sums, std::size_t index, double term) {
        sums.values[index] += term;
        sums.magnitudes[index] += std::abs(term);
    };
    constexpr bool is_backward = false;
    for_each(unsigned_of(problem.groups()), [&](std::size_t group) {
        auto const channel = group * width;
        for (long long row = 0; row < 1LL * problem.n * problem.p(); ++row) {
            auto const image = unsigned_of(row / problem.p());
            auto const rows =
                taps_inside(rows_side(problem), static_cast<int>(row % problem.p()), is_backward);
            for (int q = 0; q < problem.q(); ++q) {
                auto const columns = taps_inside(columns_side(problem), q, is_backward);
                auto const* const dy_pixel =
                    &gradients[(unsigned_of(row) * unsigned_of(problem.q()) + unsigned_of(q)) *
                                   channels +
                               channel];
                for (std::size_t k = 0; problem.bias && k < width; ++k) {
                    add(result.bias, channel + k, dy_pixel[k]);
                }
                for (auto const& [r, h] : rows) {
                    for (auto const& [s, w] : columns) {
                        auto const line = image * unsigned_of(problem.h) + unsigned_of(h);
                        auto const* const x_pixel =
                            &inputs[(line * unsigned_of(problem.w) + unsigned_of(w)) * channels +
                                    channel];
                        for (std::size_t k = 0; k < width; ++k) {
                            auto const tap = (channel + k) * unsigned_of(problem.r * problem.s) +
                                             unsigned_of(r * problem.s + s);
                            for (std::size_t c = 0; c < width; ++c) {
                                add(result.filter, tap * width + c, dy_pixel[k] * x_pixel[c]);
                            }
                        }
                    }
                }
            }
        }
    });
    return result;
}

} // namespace spio::conv2d
