// Computes convolutions in double.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
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

constexpr auto width = static_cast<std::size_t>(group_width);

std::size_t product(std::initializer_list<int> sizes) {
    std::size_t all = 1;
    for (int const size : sizes) all *= static_cast<std::size_t>(size);
    return all;
}

void expect_size(problem const& of, char const* name, std::size_t size, std::size_t expected) {
    if (size == expected) return;
    throw error(error_kind::invalid, "reference", "conv2d " + text_of(of),
                std::string(name) + " has " + std::to_string(size) + " elements, not " +
                    std::to_string(expected));
}

// f(0) … f(count - 1), by as many threads as there are processors.
template <class Function> void for_each(std::size_t count, Function const& f) {
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
        for (std::size_t n; (n = next++) < count;) f(n);
    };
    std::vector<std::jthread> others;
    auto const processors = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t n = 1; n < std::min<std::size_t>(processors, count); ++n) {
        others.emplace_back(work);
    }
    work();
}

std::vector<double> numbers_of(std::span<unsigned short const> halves) {
    std::vector<double> const table = [] {
        std::vector<double> all(1 << 16);
        for (std::size_t bits = 0; bits < all.size(); ++bits) {
            all[bits] = number_of(static_cast<unsigned short>(bits));
        }
        return all;
    }();
    std::vector<double> numbers(halves.size());
    std::ranges::transform(halves, numbers.begin(), [&](auto bits) { return table[bits]; });
    return numbers;
}

// The places of taps that are inside, of one side of an image: those from first to below last.
struct taps {
    int first, last;
};
taps taps_inside(int made, int pad, int count, int size) {
    return {std::clamp(pad - made, 0, count), std::clamp(size + pad - made, 0, count)};
}

// As a channel that is read lies in the filter of one that is made.
struct filter_places {
    problem const& of;
    bool is_backward;

    std::size_t operator()(std::size_t group, std::size_t made, std::size_t read, int r,
                           int s) const {
        auto const place = [&](std::size_t k, int row, int column, std::size_t c) {
            auto const tap = (group * width + k) * product({of.r, of.s}) +
                             static_cast<std::size_t>(row * of.s + column);
            return tap * width + c;
        };
        return is_backward ? place(read, of.r - 1 - r, of.s - 1 - s, made)
                           : place(made, r, s, read);
    }
};

} // namespace

double_sums reference(problem const& of, std::span<unsigned short const> from,
                      std::span<unsigned short const> filter, std::span<float const> bias) {
    correlation const correlation = correlation_of(of);
    auto const channels = static_cast<std::size_t>(of.c);
    expect_size(of, "what is read", from.size(),
                product({of.n, correlation.h, correlation.w, of.c}));
    expect_size(of, "the filter", filter.size(), product({of.c, of.r, of.s, group_width}));
    expect_size(of, "the bias", bias.size(), of.bias ? channels : 0);
    auto const x = numbers_of(from), by = numbers_of(filter);
    filter_places const place = {of, correlation.is_backward};

    double_sums all;
    all.values.resize(product({of.n, correlation.p, correlation.q, of.c}));
    all.magnitudes.resize(all.values.size());
    auto const make = [&](std::size_t image, int p, int q, double* value, double* magnitude) {
        auto const rows = taps_inside(p, correlation.pad_h, of.r, correlation.h);
        auto const columns = taps_inside(q, correlation.pad_w, of.s, correlation.w);
        for (std::size_t k = 0; k < channels; ++k) {
            value[k] = of.bias ? static_cast<double>(bias[k]) : 0;
            magnitude[k] = std::abs(value[k]);
        }
        for (int r = rows.first; r < rows.last; ++r) {
            for (int s = columns.first; s < columns.last; ++s) {
                auto const row = image * static_cast<std::size_t>(correlation.h) +
                                 static_cast<std::size_t>(p + r - correlation.pad_h);
                auto const pixel = row * static_cast<std::size_t>(correlation.w) +
                                   static_cast<std::size_t>(q + s - correlation.pad_w);
                for (std::size_t k = 0; k < channels; ++k) {
                    auto const group = k / width;
                    for (std::size_t c = 0; c < width; ++c) {
                        double const term = x[pixel * channels + group * width + c] *
                                            by[place(group, k % width, c, r, s)];
                        value[k] += term;
                        magnitude[k] += std::abs(term);
                    }
                }
            }
        }
    };
    for_each(product({of.n, correlation.p}), [&](std::size_t row) {
        auto const height = static_cast<std::size_t>(correlation.p);
        for (int q = 0; q < correlation.q; ++q) {
            auto const at =
                (row * static_cast<std::size_t>(correlation.q) + static_cast<std::size_t>(q)) *
                channels;
            make(row / height, static_cast<int>(row % height), q, &all.values[at],
                 &all.magnitudes[at]);
        }
    });
    return all;
}

double_gradients reference_gradients(problem const& of, std::span<unsigned short const> x,
                                     std::span<unsigned short const> dy) {
    expect_size(of, "x", x.size(), product({of.n, of.h, of.w, of.c}));
    expect_size(of, "the gradient of y", dy.size(), product({of.n, of.p(), of.q(), of.c}));
    auto const read = numbers_of(x), made = numbers_of(dy);
    auto const channels = static_cast<std::size_t>(of.c);
    auto const sized = [](std::size_t size) {
        return double_sums{std::vector<double>(size), std::vector<double>(size)};
    };
    double_gradients all = {sized(product({of.c, of.r, of.s, group_width})),
                            sized(of.bias ? channels : 0)};
    auto const add = [](double_sums& to, std::size_t at, double term) {
        to.values[at] += term;
        to.magnitudes[at] += std::abs(term);
    };
    for_each(static_cast<std::size_t>(of.groups()), [&](std::size_t group) {
        auto const channel = group * width;
        for (long long row = 0; row < 1LL * of.n * of.p(); ++row) {
            int const image = static_cast<int>(row / of.p()), p = static_cast<int>(row % of.p());
            auto const rows = taps_inside(p, of.pad_h, of.r, of.h);
            for (int q = 0; q < of.q(); ++q) {
                auto const columns = taps_inside(q, of.pad_w, of.s, of.w);
                auto const* const at_dy =
                    &made[(static_cast<std::size_t>(row) * static_cast<std::size_t>(of.q()) +
                           static_cast<std::size_t>(q)) *
                              channels +
                          channel];
                for (std::size_t k = 0; of.bias && k < width; ++k) {
                    add(all.bias, channel + k, at_dy[k]);
                }
                for (int r = rows.first; r < rows.last; ++r) {
                    for (int s = columns.first; s < columns.last; ++s) {
                        auto const line =
                            static_cast<std::size_t>(image) * static_cast<std::size_t>(of.h) +
                            static_cast<std::size_t>(p + r - of.pad_h);
                        auto const* const at_x =
                            &read[(line * static_cast<std::size_t>(of.w) +
                                   static_cast<std::size_t>(q + s - of.pad_w)) *
                                      channels +
                                  channel];
                        for (std::size_t k = 0; k < width; ++k) {
                            auto const tap = (channel + k) * product({of.r, of.s}) +
                                             static_cast<std::size_t>(r * of.s + s);
                            for (std::size_t c = 0; c < width; ++c) {
                                add(all.filter, tap * width + c, at_dy[k] * at_x[c]);
                            }
                        }
                    }
                }
            }
        }
    });
    return all;
}

long long products_of(problem const& of) {
    return of.pass == direction::wgrad ? 1LL * of.n * of.p() * of.q()
                                       : 1LL * group_width * of.taps() + of.bias;
}

double bound(long long products, double value, double magnitude, precision made) {
    // The tensor core does not add to the nearest: its unit is twice that of a float.
    constexpr double unit = 0x1p-23, least = 0x1p-150;
    auto const count = static_cast<double>(products);
    if (count * unit >= 1) return std::numeric_limits<double>::infinity();
    double const summed = count * unit / (1 - count * unit) * magnitude + count * least;
    bool const in_half = made == precision::fp16;
    double const rounding = in_half ? 0x1p-11 : 0x1p-24;
    return summed + rounding * (std::abs(value) + summed) + (in_half ? 0x1p-25 : least);
}

double number_of(unsigned short half_bits) {
    int const exponent = half_bits >> 10 & 31;
    int const fraction = half_bits & 1023;
    double const sign = half_bits >> 15 ? -1 : 1;
    if (exponent == 31) {
        using limits = std::numeric_limits<double>;
        return fraction != 0 ? limits::quiet_NaN() : sign * limits::infinity();
    }
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction | 1024, exponent - 25));
}

} // namespace spio::conv2d
