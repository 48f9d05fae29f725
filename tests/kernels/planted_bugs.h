// Kernels with a bug on purpose, by the tool of compute-sanitizer that must find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace spio::test {

// Runs the kernel planted_TOOL once. It may crash there, or seem to go well.
void run_planted(device& device, std::string const& tool);

} // namespace spio::test
