// A sum of products, rounded to half, that a warp stores by the instruction stmatrix.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. The 16 x 16 sums come from an array of floats:
// first integers, which a half has exactly, then random numbers, which are rounded.
#include "store_matrices.h"
#include "rounding.h"
#include "sixteen_bits.h"
#include "trial.h"

using params = spio::test::store_matrices::params;
extern "C" void store_matrices(params p);

namespace {

using namespace spio;

void run(test::trial& trial) {
    std::vector<float> exact(256), inexact(256);
    std::uniform_real_distribution<float> some(-9, 9);
    for (std::size_t i = 0; i < 256; ++i) exact[i] = static_cast<float>(i) - 100;
    for (float& value : inexact) value = some(trial.random());
    for (bool const is_exact : {true, false}) {
        auto const& values = is_exact ? exact : inexact;
        auto const x = trial.make("x", values);
        auto const y = trial.make<unsigned short>("y", values.size());
        trial.launch(test::kernel<params>{"store_matrices", store_matrices},
                     {.block = {32}, .shared_bytes = test::store_matrices::shared_bytes},
                     {x.data(), y.data()});
        auto const got = y.read();
        for (std::size_t i = 0; i < values.size(); ++i) {
            double const bound = test::to_half.unit * std::abs(values[i]) + test::to_half.least;
            trial.expect_within("y", i, test::in_half.value(got[i]), values[i],
                                is_exact ? 0 : bound);
        }
        trial.same_bits("y", got);
    }
}
test::test_case const store_matrices_case("store_matrices", run, /*arch=*/90);

} // namespace
