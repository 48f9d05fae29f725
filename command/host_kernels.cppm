// Kernels for the host device that this program was built without: compiled, and loaded.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>

export module spio.command:host_kernels;

import spio.command_line;
import spio.spec;

export namespace spio::command {

// From here on the program has them. What stands in the way is a failure that says so.
void add_host_kernels(std::span<spec const>, surroundings const&);
// Whether it was added so.
bool is_added(spec const&);

} // namespace spio::command
