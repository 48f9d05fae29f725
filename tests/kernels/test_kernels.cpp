// Runs every case on the host device: test_kernels [NAME...] [--small] [--planted TOOL].
// SPDX-License-Identifier: Apache-2.0
//
// --planted runs the kernel with a bug that this tool of compute-sanitizer finds on a GPU, and says
// what the host device says of it.
#include "host.h"
#include "planted_bugs.h"
#include "run.h"

#include <algorithm>
#include <cstdio>

namespace {

using namespace spio::test;

int run_cases(std::vector<std::string> const& names, bool is_small) {
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

int run_bug(std::string const& tool) {
    try {
        host_device host;
        run_planted(host, tool);
    } catch (failure const& found) {
        std::printf("found: %s\n", found.what());
        return 0;
    }
    std::printf("not found\n");
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    bool const is_small = std::erase(words, "--small") > 0;
    if (words.size() == 2 && words[0] == "--planted") return run_bug(words[1]);
    return run_cases(words, is_small);
}
