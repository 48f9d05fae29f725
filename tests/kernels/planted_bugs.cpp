// Launches kernels that have a bug on purpose.
// SPDX-License-Identifier: Apache-2.0
//
// A trial has memory and launches on a device: a GPU, or the host device, which simulates one on
// the CPU.
#include "planted_bugs.h"

#include "planted.h"
#include "trial.h"

extern "C" void planted_memcheck(spio::planted::params p);
extern "C" void planted_racecheck(spio::planted::params p);
extern "C" void planted_initcheck(spio::planted::params p);
extern "C" void planted_synccheck(spio::planted::params p);

namespace spio::test {

// Launches the kernel whose bug this tool of compute-sanitizer finds on a GPU.
void run_planted(device& device, std::string const& tool) {
    kernel<planted::params> const kernels[] = {{"planted_memcheck", planted_memcheck},
                                               {"planted_racecheck", planted_racecheck},
                                               {"planted_initcheck", planted_initcheck},
                                               {"planted_synccheck", planted_synccheck}};
    constexpr int threads = planted::n.size;
    for (auto const& kernel : kernels) {
        if (kernel.symbol != "planted_" + tool) continue;
        trial t(device, effort::small);
        auto const input = t.make("input", std::vector<float>(threads, 1));
        auto const output = t.make<float>("output", threads);
        t.launch(kernel,
                 {.block = {threads}, .shared_bytes = static_cast<int>(planted::row::num_bytes())},
                 {.input = input.data(), .output = output.data()});
        return;
    }
    throw failure("no bug is planted for " + tool);
}

} // namespace spio::test
