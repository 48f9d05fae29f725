// Addresses in the window of shared memory, as instructions take them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

unsigned shared_address(void const* pointer);

} // namespace spio::machine
