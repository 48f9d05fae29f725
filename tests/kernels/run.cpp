// Runs cases, compares and prints what came of them.
// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace spio::test {

outcome run_on(device& on, test_case const& what, bool is_small) {
    trial t(on, is_small);
    outcome found;
    auto const start = std::chrono::steady_clock::now();
    try {
        what.run(t);
    } catch (failure const& stopped) {
        found.complaints.push_back(stopped.what());
        ++found.failed;
    }
    std::chrono::duration<double, std::milli> const spent =
        std::chrono::steady_clock::now() - start;
    found.milliseconds = spent.count();
    found.outputs = t.outputs();
    found.complaints.insert(found.complaints.end(), t.complaints().begin(), t.complaints().end());
    found.failed += t.failed();
    found.expectations = t.expectations();
    if (found.expectations == 0 && found.failed == 0) {
        found.complaints.push_back("the case expects nothing");
        ++found.failed;
    }
    return found;
}

void outcome::compare(outcome const& other, std::string const& where) {
    auto const complain = [&](std::string const& sentence) {
        complaints.push_back("not as " + where + ": " + sentence);
        ++failed;
    };
    if (outputs.size() != other.outputs.size()) {
        complain(std::to_string(outputs.size()) + " outputs, not " +
                 std::to_string(other.outputs.size()));
    }
    for (std::size_t n = 0; n < std::min(outputs.size(), other.outputs.size()); ++n) {
        auto const& [name, size, bytes] = outputs[n];
        auto const& expected = other.outputs[n].bytes;
        if (name != other.outputs[n].name || bytes.size() != expected.size()) {
            complain(name + " is another output than " + other.outputs[n].name);
            continue;
        }
        std::size_t count = 0;
        std::size_t first = 0;
        for (std::size_t i = bytes.size() / size; i-- > 0;) {
            if (std::memcmp(&bytes[i * size], &expected[i * size], size) == 0) continue;
            ++count;
            first = i;
        }
        if (count == 0) continue;
        complain(
            std::to_string(count) + " elements have other bits: " +
            trial::different(name, first, &bytes[first * size], &expected[first * size], size));
    }
}

void print(test_case const& what, std::string const& where, outcome const& of) {
    std::printf("%s %-20s %-18s %lld expectations, %zu outputs, %.1f ms\n",
                of.failed == 0 ? "pass" : "FAIL", what.name.c_str(), where.c_str(), of.expectations,
                of.outputs.size(), of.milliseconds);
    for (auto const& words : of.complaints) std::printf("     %s\n", words.c_str());
    if (of.failed > 0) std::printf("     %lld failed\n", of.failed);
    std::fflush(stdout);
}

} // namespace spio::test
