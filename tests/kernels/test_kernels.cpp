// Runs every case on the host device: test_kernels [NAME...] [--small | --daily] [--planted TOOL].
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU, and throws a failure for an access or a call that
// breaks a rule of a GPU. --small takes small sizes only, --daily a tenth of the random problems.
// --planted runs the kernel with a bug that this tool of compute-sanitizer finds on a GPU, and says
// whether the host device finds it.
#include "host.h"
#include "planted_bugs.h"
#include "run.h"

#include <algorithm>
#include <cstdio>

namespace {

using namespace spio::test;

// Runs each case once; and at small size twice, the second time with the threads in another order,
// which must give the same bits.
int run_cases(std::vector<std::string> const& names, effort spent) {
    host_device in_order;
    host_device shuffled(/*seed=*/2026);
    int ran = 0;
    int passed = 0;
    double milliseconds = 0;
    for (auto const* each : test_case::all()) {
        if (!names.empty() && std::ranges::find(names, each->name) == names.end()) continue;
        bool const is_small = spent == effort::small;
        auto const small = run_on(in_order, *each, effort::small);
        auto const first = is_small ? small : run_on(in_order, *each, spent);
        auto second = run_on(shuffled, *each, effort::small);
        second.compare(small, "in order");
        if (small.failed > 0 && !is_small) print(*each, in_order.name(), small);
        print(*each, in_order.name(), first);
        print(*each, shuffled.name(), second);
        ++ran;
        passed += first.failed == 0 && small.failed == 0 && second.failed == 0;
        milliseconds += first.milliseconds + small.milliseconds + second.milliseconds;
    }
    std::printf("summary: kernels: %d of %d cases pass on the host device, in %.1f s\n", passed,
                ran, milliseconds / 1000);
    return passed < ran || ran == 0;
}

// Runs the kernel with a planted bug, which the host device must find.
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
    effort spent = effort::all;
    if (std::erase(words, "--small") > 0) spent = effort::small;
    if (std::erase(words, "--daily") > 0) spent = effort::daily;
    if (words.size() == 2 && words[0] == "--planted") return run_bug(words[1]);
    return run_cases(words, spent);
}
