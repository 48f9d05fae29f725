// A copy of any multiple of 4 elements through double buffers in shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. A block copies 16 steps of 1024 elements.
// is_small() says that small sizes suffice, as --small asks.
#include "memcpy.h"
#include "trial.h"

extern "C" void memcpy_256x16(spio::memcpy::params p);

namespace {

using namespace spio;

// Copies n random floats.
void run_size(test::trial& trial, int n) {
    constexpr auto config = memcpy::in_256;
    std::vector<memcpy::float4> values(static_cast<std::size_t>(n) / 4);
    for (auto& vector : values) {
        for (float& value : vector.items) value = static_cast<float>(trial.random()());
    }
    auto const input = trial.make("input", values);
    auto const output = trial.make<memcpy::float4>("output", values.size());
    trial.launch(test::kernel{"memcpy_256x16", memcpy_256x16}, {config.blocks(n)},
                 {.block = {config.threads}, .shared_bytes = shared_bytes<memcpy::buffers<config>>},
                 {.input = input.data(), .output = output.data(), .n = n});
    trial.expect_equal("output", output.read(), values);
    trial.same_bits("output", output.read());
}

void run(test::trial& trial) {
    constexpr int block = memcpy::in_256.elements_per_block();
    for (int const n : {4, 1020, 1024, 1028, block - 4, block, block + 4}) run_size(trial, n);
    if (!trial.is_small()) run_size(trial, 7 * block + 100);
}
test::test_case const memcpy_case("memcpy", run);

} // namespace
