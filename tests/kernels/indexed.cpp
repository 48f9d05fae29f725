// A tensor copied through a compound index to a permuted one, and back.
// SPDX-License-Identifier: Apache-2.0
#include "indexed.h"
#include "trial.h"

#include <numeric>

extern "C" void index_copy(spio::indexed::params p);

namespace {

using namespace spio;

void run(test::trial& t) {
    constexpr int rows = 64;
    constexpr int columns = 4;
    std::vector<float> values(rows * columns), permuted(rows * columns);
    std::iota(values.begin(), values.end(), 0.0f);
    for (std::size_t i = 0; i < values.size(); ++i) {
        permuted[i % columns * rows + i / columns] = values[i];
    }
    auto const from = t.make("from", values);
    auto const to = t.make<float>("to", values.size());
    auto const back = t.make<float>("back", values.size());
    t.launch(test::kernel{"index_copy", index_copy}, {.block = {indexed::Thread::size()}},
             {.from = from.data(), .to = to.data(), .back = back.data()});
    t.expect_equal("to", to.read(), permuted);
    t.expect_equal("back", back.read(), values);
    t.same_bits("to", to.read());
}
test::test_case const index_case("index", run);

} // namespace
