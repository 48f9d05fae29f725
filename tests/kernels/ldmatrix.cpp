// The elements that ldmatrix gives each lane, against the table in the PTX manual.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// expect() complains if a condition does not hold, and same_bits() keeps what all devices must
// agree on.
#include "ldmatrix.h"
#include "trial.h"

using params = spio::test::ldmatrix::params;
extern "C" void ldmatrix_x1(params p);
extern "C" void ldmatrix_x2(params p);
extern "C" void ldmatrix_x4(params p);
extern "C" void ldmatrix_x1_transposed(params p);
extern "C" void ldmatrix_x2_transposed(params p);
extern "C" void ldmatrix_x4_transposed(params p);

namespace {

using namespace spio;

// Loads a factor of j_size columns of k_size elements. Of each 8 x 8 matrix a lane gets two
// elements, its piece: piece f has column lane / 4 + 8 (f / 2) and the elements 2 (lane % 4) + 8 (f
// % 2) and the next. The elements are their own numbers in memory.
void run_load(test::trial& trial, test::kernel<params> const& kernel, int j_size, int k_size,
              bool is_transposed) {
    std::vector<unsigned short> values(static_cast<std::size_t>(j_size * k_size));
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<unsigned short>(n);
    auto const index_of = [&](int j, int k) {
        return static_cast<unsigned>(is_transposed ? k * j_size + j : j * k_size + k);
    };
    std::vector<unsigned> expected;
    for (int piece = 0; piece < j_size * k_size / 64; ++piece) {
        for (int lane = 0; lane < 32; ++lane) {
            int const j = lane / 4 + 8 * (piece / 2);
            int const k = lane % 4 * 2 + 8 * (piece % 2);
            expected.push_back(index_of(j, k) | index_of(j, k + 1) << 16);
        }
    }
    auto const x = trial.make("x", values);
    auto const y = trial.make<unsigned>("y", expected.size());
    trial.launch(kernel, {.block = {32}, .shared_bytes = test::ldmatrix::shared_bytes},
                 {x.data(), y.data()});
    trial.expect_equal(kernel.symbol, y.read(), expected);
}

// xN loads N matrices of 8 x 8, which make up the factor: its rows, its columns, and whether it is
// transposed.
void run(test::trial& trial) {
    run_load(trial, {"ldmatrix_x1", ldmatrix_x1}, /*j_size=*/8, /*k_size=*/8,
             /*is_transposed=*/false);
    run_load(trial, {"ldmatrix_x2", ldmatrix_x2}, /*j_size=*/8, /*k_size=*/16,
             /*is_transposed=*/false);
    run_load(trial, {"ldmatrix_x4", ldmatrix_x4}, /*j_size=*/16, /*k_size=*/16,
             /*is_transposed=*/false);
    run_load(trial, {"ldmatrix_x1_transposed", ldmatrix_x1_transposed}, /*j_size=*/8, /*k_size=*/8,
             /*is_transposed=*/true);
    run_load(trial, {"ldmatrix_x2_transposed", ldmatrix_x2_transposed}, /*j_size=*/8, /*k_size=*/16,
             /*is_transposed=*/true);
    run_load(trial, {"ldmatrix_x4_transposed", ldmatrix_x4_transposed}, /*j_size=*/16,
             /*k_size=*/16, /*is_transposed=*/true);
}
test::test_case const ldmatrix_case("ldmatrix", run);

} // namespace
