// The elementary functions of kernels: errors, limits of the range, and bits on all devices.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// expect() complains if a condition does not hold, and same_bits() keeps what all devices must
// agree on. is_small() says that small sizes suffice, as --small asks.
#include "elementary_functions.h"
#include "trial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

extern "C" void elementary_functions_256(spio::elementary_functions::params p);

namespace {

using namespace spio;
using elementary_functions::function;

// A function, the exact result, and the bound of its error in units in the last place.
struct tested_function {
    elementary_functions::function function;
    char const* name;
    double (*exact)(double);
    double bound;
};
constexpr tested_function functions[] = {
    {function::exponential, "exponential", std::exp, 1},
    {function::logarithm, "logarithm", std::log, 1},
    {function::hyperbolic_tangent, "hyperbolic tangent", std::tanh, 2},
    {function::error_function, "error function", std::erf, 2},
    {function::inverse_square_root, "inverse square root",
     [](double x) { return 1 / std::sqrt(x); }, 2},
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_float = std::numeric_limits<float>::max();

// The error in units in the last place of a float, which has 24 digits; the exponents of subnormals
// count as -125. It is 0 for the right NaN, infinity or zero, and infinite for a wrong one.
double error_of(float result, double exact) {
    if (std::isnan(exact)) return std::isnan(result) ? 0 : infinity;
    if (std::abs(exact) > largest_float || exact == 0) {
        bool const is_equal = result == static_cast<float>(exact);
        return is_equal && std::signbit(result) == std::signbit(exact) ? 0 : infinity;
    }
    int exponent;
    std::frexp(exact, &exponent);
    double const error = std::abs(result - exact) / std::ldexp(1, std::max(exponent, -125) - 24);
    return std::isnan(error) ? infinity : error;
}

void run(test::trial& trial) {
    // Zeros, arguments near changes of an algorithm, a subnormal; then a part of all floats.
    std::vector<float> arguments = {0, -0.0F, 1, -1, 0.6F, 0.95F, 4, 1e-40F};
    unsigned const count =
        trial.is_small() ? 1 << 8 : 1 << 16; // of all floats, evenly by their bits
    for (unsigned n = 0; n < count; ++n) {
        // The last term varies the low bits, with the period 251, a prime number.
        arguments.push_back(std::bit_cast<float>((0xffffffffU / count) * n + n % 251));
    }
    int const size = static_cast<int>(arguments.size());
    auto const x = trial.make("x", arguments);
    for (auto const& [function, name, exact, bound] : functions) {
        auto const y = trial.make<float>("y", arguments.size());
        trial.launch(test::kernel{"elementary_functions_256", elementary_functions_256},
                     {(size + 255) / 256}, {.block = {256}},
                     {.x = x.data(), .y = y.data(), .n = size, .function = function});
        auto const results = y.read();
        for (std::size_t n = 0; n < arguments.size(); ++n) {
            double const error = error_of(results[n], exact(arguments[n]));
            trial.expect(error < bound, [&] {
                return std::string(name) + " of " + std::to_string(arguments[n]) + " is off by " +
                       std::to_string(error) + " units in the last place";
            });
        }
        // NaNs may differ in their bits.
        auto comparable = results;
        std::ranges::replace_if(comparable, [](float y) { return std::isnan(y); }, 0.0F);
        trial.same_bits(name, comparable);
    }
}
test::test_case const elementary_functions_case("elementary_functions", run);

} // namespace
