// Kernels with a bug on purpose, by the tool of compute-sanitizer that must find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace spio::test {

// Runs the kernel planted_TOOL once. The host device, a GPU that is simulated on the CPU, throws a
// failure if it finds the bug. On a GPU the kernel may crash, or seem to go well: there the tool
// must report the bug.
void run_planted(device& device, std::string const& tool);

} // namespace spio::test
