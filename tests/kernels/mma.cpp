// Products of matrices: exact where they are of small integers, else within the bound of rounding.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. c = a b has the elements c(n, i, j), the sum
// over k of a(n, i, k) b(n, j, k); a kernel's name has the sizes i x j x k.
#include "mma.h"
#include "rounding.h"
#include "sixteen_bits.h"
#include "trial.h"

using params = spio::test::mma::params;
extern "C" void mma_half_16x8x8(params p);
extern "C" void mma_half_16x8x16(params p);
extern "C" void mma_half_16x16x16(params p);
extern "C" void mma_bfloat16_16x8x8(params p);
extern "C" void mma_bfloat16_16x8x16(params p);
extern "C" void mma_bfloat16_16x16x16(params p);
extern "C" void mma_batched(params p);

namespace {

using namespace spio;

// Two factors of products, for each n a matrix by its rows i, and one by its columns j.
struct factors {
    test::mma::size size;
    std::vector<double> a, b;

    // Element (i, k) of matrix n; at_b() likewise (j, k).
    double at_a(int n, int i, int k) const {
        return a[static_cast<std::size_t>((n * size.i + i) * size.k + k)];
    }
    double at_b(int n, int j, int k) const {
        return b[static_cast<std::size_t>((n * size.j + j) * size.k + k)];
    }
};

// Runs a kernel on the factors in this format.
std::vector<float> product(test::trial& trial, test::kernel<params> const& kernel,
                           test::format const& format, factors const& inputs) {
    auto const encoded = [&](std::vector<double> const& values) {
        std::vector<unsigned short> bits;
        for (double const value : values) bits.push_back(format.bits(value));
        return bits;
    };
    auto const a = trial.make("a", encoded(inputs.a));
    auto const b = trial.make("b", encoded(inputs.b));
    auto const c = trial.make<float>(
        "c", static_cast<std::size_t>(inputs.size.n * inputs.size.i * inputs.size.j));
    trial.launch(kernel, {.block = {32}, .shared_bytes = inputs.size.shared_bytes()},
                 {a.data(), b.data(), c.data()});
    return c.read();
}

// Factors of this size, each element by draw(number, modulus). The moduli are primes, so that
// neighbouring rows differ.
template <class Draw> factors drawn(test::mma::size const& size, Draw draw) {
    factors f = {.size = size, .a = {}, .b = {}};
    for (int n = 0; n < size.a_elements(); ++n) f.a.push_back(draw(n, 17));
    for (int n = 0; n < size.b_elements(); ++n) f.b.push_back(draw(n, 19));
    return f;
}

// Runs a kernel on small integers, where the sums must be exact, and on random numbers that both
// formats can represent.
void run_kernel(test::trial& trial, test::kernel<params> const& kernel, test::format const& format,
                test::mma::size const& size) {
    auto const small = drawn(size, [](int n, int modulus) { return n % modulus - modulus / 2; });
    std::uniform_int_distribution<int> uniform(-255, 255);
    auto const spread = drawn(size, [&](int, int) { return uniform(trial.random()) / 64.0; });

    auto const exact = product(trial, kernel, format, small);
    auto const rounded = product(trial, kernel, format, spread);
    std::vector<float> expected;
    std::size_t element = 0;
    for (int n = 0; n < size.n; ++n) {
        for (int i = 0; i < size.i; ++i) {
            for (int j = 0; j < size.j; ++j, ++element) {
                double sum = 0;
                test::sum_of_products near;
                for (int k = 0; k < size.k; ++k) {
                    sum += small.at_a(n, i, k) * small.at_b(n, j, k);
                    near.add(spread.at_a(n, i, k), spread.at_b(n, j, k));
                }
                expected.push_back(static_cast<float>(sum));
                // The tensor core need not round a sum to the nearest float: its unit is 2^-23.
                trial.expect_within(kernel.symbol, element, rounded[element], near.value(),
                                    near.bound(test::to_float, /*unit_of_addition=*/0x1p-23));
            }
        }
    }
    trial.expect_equal(kernel.symbol, exact, expected);
    trial.same_bits(kernel.symbol, exact);
}

void run(test::trial& trial) {
    using test::in_bfloat16;
    using test::in_half;
    // The sizes are n, i, j and k.
    run_kernel(trial, {"mma_half_16x8x8", mma_half_16x8x8}, in_half, {1, 16, 8, 8});
    run_kernel(trial, {"mma_half_16x8x16", mma_half_16x8x16}, in_half, {1, 16, 8, 16});
    run_kernel(trial, {"mma_half_16x16x16", mma_half_16x16x16}, in_half, {1, 16, 16, 16});
    run_kernel(trial, {"mma_bfloat16_16x8x8", mma_bfloat16_16x8x8}, in_bfloat16, {1, 16, 8, 8});
    run_kernel(trial, {"mma_bfloat16_16x8x16", mma_bfloat16_16x8x16}, in_bfloat16, {1, 16, 8, 16});
    run_kernel(trial, {"mma_bfloat16_16x16x16", mma_bfloat16_16x16x16}, in_bfloat16,
               {1, 16, 16, 16});
    run_kernel(trial, {"mma_batched", mma_batched}, in_half, test::mma::batched);
}
test::test_case const mma_case("mma", run);

} // namespace
