// The exponential function of kernels: its error, and its results at the ends of the range.
// SPDX-License-Identifier: Apache-2.0
#include "spio/tile/exponential.cuh"
#include "misuse.h"
#include "sim/arena.h"
#include "spio/tile/thread.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

// e to the power of each float, as a kernel computes them.
static void compute(float const* powers, float* results, int count) {
    auto const report = spio::sim::launch("exponential", {.shape = {.block = {32}}}, [&] {
        for (int n = spio::this_thread(); n < count; n += 32) {
            results[n] = spio::exponential(powers[n]);
        }
    });
    CAPTURE(report.text());
    CHECK(!report);
}

TEST_CASE("the exponential is within one unit in the last place of the right one") {
    constexpr int count = 1 << 16; // of all floats, evenly by their bits
    spio::sim::memory<float> powers(count, "powers"), results(count, "results");
    for (unsigned n = 0; n < count; n++) powers[n] = std::bit_cast<float>(65535 * n + n % 251);
    compute(powers.data(), results.data(), count);

    constexpr double largest_float = std::numeric_limits<float>::max();
    double largest_error = 0;
    int wrong = 0;
    for (int n = 0; n < count; n++) {
        double const expected = std::exp(static_cast<double>(powers[n]));
        double const result = results[n];
        if (std::isnan(powers[n])) {
            wrong += !std::isnan(result);
        } else if (expected > largest_float) {
            wrong += !std::isinf(result);
        } else {
            int exponent;
            std::frexp(expected, &exponent);
            double const unit = std::ldexp(1, std::max(exponent, -125) - 24);
            largest_error = std::max(largest_error, std::abs(result - expected) / unit);
        }
    }
    CHECK(wrong == 0);
    CHECK(largest_error < 1);
}

TEST_CASE("the exponential of zero and of infinities") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    spio::sim::memory<float> powers(4, "powers"), results(4, "results");
    powers[0] = 0, powers[1] = -0.0F, powers[2] = infinity, powers[3] = -infinity;
    compute(powers.data(), results.data(), 4);
    CHECK(results[0] == 1);
    CHECK(results[1] == 1);
    CHECK(results[2] == infinity);
    CHECK(results[3] == 0);
}
