// The activations of convolutions against those in double, for every number in bfloat16.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device, a GPU or one that the CPU simulates, and collects
// complaints about the results. activation_unit is the relative error that the kernel's activations
// may have.
#include "activation.h"

#include "conv2d/problem.h"
#include "trial.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

import spio.conv2d;

using params = spio::test::conv2d_activation::params;
extern "C" void conv2d_activation(params p);

namespace {

using namespace spio;
using conv2d::activation;

// The four results of a number, in the order in which the kernel writes them.
std::string const names[] = {"SiLU", "GELU", "derivative of SiLU", "derivative of GELU"};

// Checks the four results for the bfloat16 with these bits, which are the upper half of a float's.
void expect_activations(test::trial& trial, unsigned bits, float const* got) {
    float const x = std::bit_cast<float>(bits << 16);
    for (int n = 0; n < 4; ++n) {
        auto const function = n % 2 == 0 ? activation::silu : activation::gelu;
        double const value = static_cast<double>(got[n]);
        auto const complaint = [&] {
            return names[n] + " at " + std::to_string(x) + " is " + std::to_string(value);
        };
        if (std::isnan(x)) {
            trial.expect(std::isnan(value), complaint);
        } else if (std::isinf(x) && x > 0 && n < 2) {
            trial.expect(value == HUGE_VAL, complaint);
        } else if (n < 2) {
            // 2^-31 is the error that activations may have where they are nearly 0.
            double const exact = conv2d::activated(static_cast<double>(x), function);
            trial.expect_within(names[n], bits, value, exact,
                                conv2d::activation_unit * std::abs(exact) + 0x1p-31);
        } else {
            double const exact = std::isinf(x)
                                     ? (x > 0 ? 1 : 0)
                                     : conv2d::derivative(static_cast<double>(x), function);
            trial.expect_within(names[n], bits, value, exact, conv2d::activation_unit);
        }
    }
}

// Checks the pairs of the ReLU of x and of -x, for the bfloat16 x with these bits.
void expect_rectified(test::trial& trial, unsigned bits, unsigned const* pairs) {
    bool const is_nan = (bits & 0x7fffU) > 0x7f80U;
    unsigned const size = bits & 0x7fffU;
    unsigned const exact = is_nan                               ? 0x7fff7fffU
                           : bits == 0x0000U || bits == 0x8000U ? 0
                           : bits < 0x8000U                     ? size
                                                                : size << 16;
    auto const complaint = [&] { return "ReLU of the bfloat16 " + std::to_string(bits); };
    trial.expect(pairs[0] == pairs[1], complaint);
    trial.expect(pairs[2] == exact && pairs[3] == exact, complaint);
}

test::test_case const activation_case("conv2d_activation", [](test::trial& trial) {
    using namespace test::conv2d_activation;
    auto const results = trial.make<float>("results", 4 * 65536);
    auto const pairs = trial.make<unsigned>("pairs", 4 * 65536);
    trial.launch<params>({"conv2d_activation", conv2d_activation}, {blocks}, {.block = {threads}},
                         {results.data(), pairs.data()});
    auto const got = results.read();
    auto const got_pairs = pairs.read();
    for (unsigned n = 0; n < 65536; ++n) {
        expect_activations(trial, n, &got[4 * n]);
        expect_rectified(trial, n, &got_pairs[4 * n]);
    }
});

} // namespace
