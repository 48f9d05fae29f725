// Runs every case on the host device: test_kernels [NAME...] [--small].
// SPDX-License-Identifier: Apache-2.0
#include "host.h"
#include "run.h"

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
    using namespace spio::test;
    std::vector<std::string> names(argv + 1, argv + argc);
    bool const is_small = std::erase(names, "--small") > 0;

    host_device host;
    int ran = 0;
    int failed = 0;
    double milliseconds = 0;
    for (auto const* each : test_case::all()) {
        if (!names.empty() && std::ranges::find(names, each->name) == names.end()) continue;
        auto const found = run_on(host, *each, is_small);
        print(*each, host.name(), found);
        ++ran;
        failed += found.failed > 0;
        milliseconds += found.milliseconds;
    }
    std::printf("figure: kernels: %d of %d cases pass on the host device, in %.1f s\n",
                ran - failed, ran, milliseconds / 1000);
    return failed > 0 || ran == 0;
}
