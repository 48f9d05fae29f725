// Writes the lines of the log, each in one piece.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

module spio.launch;

import spio.image;
import spio.spec;

namespace spio {

namespace {

using clock = std::chrono::steady_clock;

void log_timed(std::string_view event, std::string const& what, clock::time_point since) {
    std::chrono::duration<double, std::milli> const spent = clock::now() - since;
    char milliseconds[32];
    std::snprintf(milliseconds, sizeof milliseconds, "%.3f ms", spent.count());
    log(std::string(event) + " " + what + ", " + milliseconds);
}

} // namespace

bool is_logged() {
    static bool const once = [] {
        char const* const said = std::getenv("SPIO_LOG");
        return said != nullptr && std::string_view(said) != "" && std::string_view(said) != "0";
    }();
    return once;
}

void log(std::string_view line) {
    if (!is_logged()) return;
    auto const whole = "spio: " + std::string(line) + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
}

void log(std::string_view event, spec const& of, clock::time_point since) {
    if (is_logged()) log_timed(event, of.spelled(), since);
}
void log(std::string_view event, image const& of, clock::time_point since) {
    if (is_logged()) log_timed(event, of.spelled(), since);
}

} // namespace spio
