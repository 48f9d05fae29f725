// Complaints of trials, and the registry of test cases.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Memory has guards around each array, and is full of bytes 0xff at first.
#include "trial.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spio::test {

namespace {

// The bytes of a value from the last to the first.
std::string hexadecimal(void const* value, std::size_t bytes) {
    auto const* const byte = static_cast<unsigned char const*>(value);
    std::string text = "0x";
    for (std::size_t i = bytes; i-- > 0;) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte[i]));
        text += digits;
    }
    return text;
}

// A value in hexadecimal digits; of four bytes the float too.
std::string shown(void const* value, std::size_t bytes) {
    std::string text = hexadecimal(value, bytes);
    if (bytes == sizeof(float)) {
        float number;
        std::memcpy(&number, value, sizeof number);
        char digits[32];
        std::snprintf(digits, sizeof digits, " (%.9g)", static_cast<double>(number));
        text += digits;
    }
    return text;
}

// All test cases of the program, by name. Each registers itself when it is constructed.
std::vector<test_case const*>& cases() {
    static std::vector<test_case const*> registry;
    return registry;
}

} // namespace

std::string trial::different(std::string const& name, std::size_t i, void const* got,
                             void const* expected, std::size_t bytes) {
    return name + "[" + std::to_string(i) + "] is " + shown(got, bytes) + ", not " +
           shown(expected, bytes);
}

void trial::expect_within(std::string const& name, std::size_t i, double got, double exact,
                          double bound) {
    // A NaN fails this comparison, as it should.
    expect(std::abs(got - exact) <= bound, [&] {
        char words[128];
        std::snprintf(words, sizeof words, "[%zu] is %.9g, and %.3g from %.9g: allowed are %.3g", i,
                      got, std::abs(got - exact), exact, bound);
        return name + words;
    });
}

void trial::complain(std::string const& words) {
    if (complaints_.size() < 5) complaints_.push_back(words);
    ++failed_;
}

test_case::test_case(std::string case_name, void (*run_on)(trial&), int least_arch)
    : name(std::move(case_name)), run(run_on), arch(least_arch) {
    auto& registry = cases();
    registry.insert(
        std::ranges::upper_bound(registry, name, {}, [](auto const* c) { return c->name; }), this);
}

std::vector<test_case const*> const& test_case::all() { return cases(); }

} // namespace spio::test
