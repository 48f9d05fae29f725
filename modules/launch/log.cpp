// Writes the lines of the log, each in one piece.
// SPDX-License-Identifier: Apache-2.0
//
// An event is about a spec (what a kernel is compiled from) or an image (a compiled kernel).
module;

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

module spio.launch;

import :setting;
import spio.image;
import spio.spec;
import spio.system;

namespace spio {

namespace {

using clock = std::chrono::steady_clock;

// Logs an event about a subject, with the milliseconds since `start`.
void log_timed(std::string_view event, std::string const& subject, clock::time_point start) {
    std::chrono::duration<double, std::milli> const duration = clock::now() - start;
    char milliseconds[32];
    std::snprintf(milliseconds, sizeof milliseconds, "%.3f ms", duration.count());
    log(std::string(event) + " " + subject + ", " + milliseconds);
}

} // namespace

// Whether the environment variable SPIO_LOG asks for lines on stderr. Events are logged where
// nothing may be thrown, so that a word that is no switch turns the log on.
bool is_logged() {
    static constinit setting<bool> setting;
    return setting.get([] {
        auto const text = environment("SPIO_LOG");
        return !text.empty() && parse_switch(text).value_or(true);
    });
}

void log(std::string_view text) {
    if (!is_logged()) return;
    auto const line = "spio: " + std::string(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void log(std::string_view event, spec const& spec, clock::time_point start) {
    if (is_logged()) log_timed(event, spec.spelled(), start);
}
void log(std::string_view event, image const& image, clock::time_point start) {
    if (is_logged()) log_timed(event, image.spelled(), start);
}

} // namespace spio
