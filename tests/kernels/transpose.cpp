// Transposes against a double loop: odd sizes, padded rows, halves and floats.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. In memory, rows are padded to whole vectors of
// 16 bytes; the padding of the result must be zeros. is_small() says that small sizes suffice, as
// --small asks.
#include "transpose.h"
#include "trial.h"

extern "C" void transpose_halves(spio::transpose::params<spio::half> p);
extern "C" void transpose_halves_by_matrices(spio::transpose::params<spio::half> p);
extern "C" void transpose_halves_of_64x136(spio::transpose::params<spio::half> p);
extern "C" void transpose_floats(spio::transpose::params<float> p);

namespace {

using namespace spio;

// Transposes a matrix of random numbers. Element has the bits of a T, for which the host need not
// have a type.
template <class T, class Element>
void run_size(test::trial& trial, test::kernel<transpose::params<T>> const& kernel, int threads,
              int rows, int columns) {
    int const vector = 16 / static_cast<int>(sizeof(Element));
    auto const padded = [&](int n) { return (n + vector - 1) / vector * vector; };
    auto const cells = [&](int n, int m) {
        return static_cast<std::size_t>(n) * static_cast<std::size_t>(padded(m));
    };
    // What is in the padding of x must not be seen: it stays poison.
    std::vector<Element> x_values(cells(rows, columns));
    std::memset(x_values.data(), 0xff, x_values.size() * sizeof(Element));
    std::vector<Element> expected(cells(columns, rows));
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            auto const value = static_cast<Element>(trial.random()() % 65521);
            x_values[static_cast<std::size_t>(i * padded(columns) + j)] = value;
            expected[static_cast<std::size_t>(j * padded(rows) + i)] = value;
        }
    }
    auto const x = trial.make("x", x_values);
    auto const y = trial.make<Element>("y", expected.size());
    trial.launch(
        kernel, {transpose::blocks_along<T>(rows), transpose::blocks_along<T>(columns)},
        {.block = {threads}, .shared_bytes = transpose::shared_bytes<T>},
        {reinterpret_cast<T const*>(x.data()), reinterpret_cast<T*>(y.data()), rows, columns});
    auto const got = y.read();
    auto const name = std::string(kernel.symbol) + " of " + std::to_string(rows) + " x " +
                      std::to_string(columns);
    trial.expect_equal(name, got, expected);
    trial.same_bits(name, got);
}

void run(test::trial& trial) {
    // One element, a vector by a block, odd sizes, one block of halves, and one element more than
    // one and two blocks.
    std::vector<std::pair<int, int>> sizes = {{1, 1}, {8, 64}, {37, 23}, {64, 64}, {65, 129}};
    if (!trial.is_small()) sizes.emplace_back(333, 210);
    for (auto const& [rows, columns] : sizes) {
        run_size<half, unsigned short>(trial, {"transpose_halves", transpose_halves},
                                       /*threads=*/128, rows, columns);
        run_size<half, unsigned short>(
            trial, {"transpose_halves_by_matrices", transpose_halves_by_matrices}, /*threads=*/128,
            rows, columns);
        run_size<float, float>(trial, {"transpose_floats", transpose_floats}, /*threads=*/64, rows,
                               columns);
    }
    // The kernel that knows its sizes: one block of rows; two of columns, and a vector of 8 more.
    run_size<half, unsigned short>(trial,
                                   {"transpose_halves_of_64x136", transpose_halves_of_64x136},
                                   /*threads=*/256, /*rows=*/64, /*columns=*/136);
}
test::test_case const transpose_case("transpose", run);

} // namespace
