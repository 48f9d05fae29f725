// A line for each event, if SPIO_LOG asks for it: what was found where, compiled, loaded, missed.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <string_view>

export module spio.launch:log;

import spio.image;
import spio.spec;

export namespace spio {

// Whether SPIO_LOG is set, to something other than 0; read once.
bool is_logged();
// One line to stderr, if that is so. Never on the way of a launch.
void log(std::string_view line);
// The same with how long it took:
//     spio: disk axpby n=1000 for sm_90a (axpby_256x1_…), 0.61 ms
void log(std::string_view event, spec const&, std::chrono::steady_clock::time_point since);
void log(std::string_view event, image const&, std::chrono::steady_clock::time_point since);

} // namespace spio
