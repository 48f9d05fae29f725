// Launches planted kernels in every order of threads, and checks the reports.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. A planted kernel has a misuse on purpose.
#include "misuse.h"

#include <regex>

namespace planted {

void expect_misuse(misuse kind, char const* sentence, launch_shape const& shape,
                   std::function<void()> const& kernel) {
    std::regex const pattern(sentence);
    for (auto const& order : orders) {
        report const result = spio::sim::launch("planted", shape, kernel, order);
        CAPTURE(result.text());
        CAPTURE(order.seed);
        CHECK(std::string(name_of(result.kind)) == name_of(kind));
        CHECK(std::regex_search(result.sentence, pattern));
    }
    misuses_reported++;
}

void expect_no_misuse(launch_shape const& shape, std::function<void()> const& kernel) {
    for (auto const& order : orders) {
        report const result = spio::sim::launch("planted", shape, kernel, order);
        CAPTURE(order.seed);
        CHECK(result.text() == "no misuse");
    }
    correct_kernels++;
}

} // namespace planted
