// A tensor copied through a compound index to a permuted one, and back.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. A compound index is one number for several
// indices, here the row and the column of a matrix.
#include "indexed.h"
#include "trial.h"

#include <numeric>

extern "C" void index_copy(spio::indexed::params p);

namespace {

using namespace spio;

void run(test::trial& trial) {
    constexpr int rows = 64;
    constexpr int columns = 4;
    std::vector<float> values(rows * columns), permuted(rows * columns);
    std::iota(values.begin(), values.end(), 0.0f);
    for (std::size_t i = 0; i < values.size(); ++i) {
        permuted[i % columns * rows + i / columns] = values[i];
    }
    auto const source = trial.make("source", values);
    auto const target = trial.make<float>("permuted", values.size());
    auto const restored = trial.make<float>("restored", values.size());
    trial.launch(test::kernel{"index_copy", index_copy}, {.block = {indexed::Thread::size()}},
                 {.source = source.data(), .permuted = target.data(), .restored = restored.data()});
    trial.expect_equal("permuted", target.read(), permuted);
    trial.expect_equal("restored", restored.read(), values);
    trial.same_bits("permuted", target.read());
}
test::test_case const index_case("index", run);

} // namespace
