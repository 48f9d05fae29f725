// Runs test cases on a device, compares their outputs and prints their results.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Memory has guards around each array, and is full of bytes 0xff at first.
#include "run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace spio::test {

// The effort is small sizes, a tenth of the random problems, or all. A failure that the case throws
// becomes a complaint.
outcome run_on(device& device, test_case const& test, effort spent) {
    trial t(device, spent);
    outcome result;
    auto const start = std::chrono::steady_clock::now();
    try {
        test.run(t);
    } catch (failure const& stopped) {
        result.complaints.push_back(stopped.what());
        ++result.failed;
    }
    std::chrono::duration<double, std::milli> const duration =
        std::chrono::steady_clock::now() - start;
    result.milliseconds = duration.count();
    result.outputs = t.outputs();
    result.complaints.insert(result.complaints.end(), t.complaints().begin(), t.complaints().end());
    result.failed += t.failed();
    result.expectations = t.expectations();
    if (result.expectations == 0 && result.failed == 0) {
        result.complaints.push_back("the case expects nothing");
        ++result.failed;
    }
    return result;
}

void outcome::compare(outcome const& other, std::string const& device_name) {
    auto const complain = [&](std::string const& sentence) {
        complaints.push_back("not as " + device_name + ": " + sentence);
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

void print(test_case const& test, std::string const& device_name, outcome const& result) {
    std::printf("%s %-20s %-18s %lld expectations, %zu outputs, %.1f ms\n",
                result.failed == 0 ? "pass" : "FAIL", test.name.c_str(), device_name.c_str(),
                result.expectations, result.outputs.size(), result.milliseconds);
    for (auto const& words : result.complaints) std::printf("     %s\n", words.c_str());
    if (result.failed > 0) std::printf("     %lld failed\n", result.failed);
    std::fflush(stdout);
}

} // namespace spio::test
