// The address of something in shared memory, as the instructions that work there take it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

unsigned shared_address(void const* pointer);

} // namespace spio::machine
