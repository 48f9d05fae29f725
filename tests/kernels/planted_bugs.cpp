// Launches kernels with a bug.
// SPDX-License-Identifier: Apache-2.0
#include "planted_bugs.h"

#include "planted.h"
#include "trial.h"

extern "C" void planted_memcheck(spio::planted::params p);
extern "C" void planted_racecheck(spio::planted::params p);
extern "C" void planted_initcheck(spio::planted::params p);
extern "C" void planted_synccheck(spio::planted::params p);

namespace spio::test {

void run_planted(device& on, std::string const& tool) {
    kernel<planted::params> const kernels[] = {{"planted_memcheck", planted_memcheck},
                                               {"planted_racecheck", planted_racecheck},
                                               {"planted_initcheck", planted_initcheck},
                                               {"planted_synccheck", planted_synccheck}};
    constexpr int threads = planted::n.size;
    for (auto const& each : kernels) {
        if (each.symbol != "planted_" + tool) continue;
        trial t(on, true);
        auto const from = t.make("from", std::vector<float>(threads, 1));
        auto const to = t.make<float>("to", threads);
        t.launch(each,
                 {.block = {threads}, .shared_bytes = static_cast<int>(planted::row::num_bytes())},
                 {.from = from.data(), .to = to.data()});
        return;
    }
    throw failure("no bug is planted for " + tool);
}

} // namespace spio::test
