// Addresses in the window of shared memory, as instructions take them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

__device__ inline unsigned shared_address(void const* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

} // namespace spio::machine
