// axpby over vectors of any length: y = fma(a, x, b y) bit by bit, in two configurations.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A trial runs a test case on it or on a GPU; its
// same_bits() keeps what all devices must agree on. A configuration has the threads of a block, and
// the vectors of 4 floats that each of them computes. is_small() says that small sizes suffice, as
// --small asks.
#include "axpby/problem.h"
#include "trial.h"

#include <algorithm>
#include <cmath>

extern "C" void axpby_256x4(spio::axpby::params p);
extern "C" void axpby_96x1(spio::axpby::params p);

namespace {

using namespace spio;

// Runs one kernel on vectors of n numbers, and compares each result with fma().
void run_configuration(test::trial& trial, test::kernel<axpby::params> const& kernel,
                       axpby::config const& config, int n) {
    auto const size = static_cast<std::size_t>(n);
    std::vector<float> x_values(size), y_values(size), expected(size);
    std::uniform_real_distribution<float> uniform(-2, 2);
    for (auto& value : x_values) value = uniform(trial.random());
    for (auto& value : y_values) value = uniform(trial.random());
    auto const x = trial.make("x", x_values);
    auto const y = trial.make("y", y_values);

    axpby::params const p = {.a = 1.7f,
                             .x = axpby::scalars(x.data(), axpby::N(n)),
                             .b = -0.3f,
                             .y = axpby::scalars(y.data(), axpby::N(n))};
    // For n = 0 one block is launched all the same; it must do nothing.
    trial.launch(kernel, {std::max(1, config.blocks(n))}, {.block = {config.threads}}, p);

    for (std::size_t i = 0; i < size; ++i) {
        expected[i] = std::fma(p.a, x_values[i], p.b * y_values[i]);
    }
    auto const got = y.read();
    trial.expect_equal("y", got, expected);
    trial.expect_equal("x", x.read(), x_values);
    trial.same_bits("y of " + std::to_string(n), got);
}

void run(test::trial& trial) {
    // Sizes about a vector of 4 floats, and about those that blocks of 96 x 4 and of 256 x 4 x 4
    // compute. With all effort there is one of many blocks, the last of which is not full.
    std::vector<int> sizes = {0, 1, 3, 4, 5, 383, 384, 385, 1023, 4095, 4096, 4097};
    if (!trial.is_small()) sizes.push_back(100'007);
    for (int const n : sizes) {
        run_configuration(trial, {"axpby_256x4", axpby_256x4}, {.threads = 256, .vectors = 4}, n);
        run_configuration(trial, {"axpby_96x1", axpby_96x1}, {.threads = 96, .vectors = 1}, n);
    }
}
test::test_case const axpby_case("axpby", run);

} // namespace
