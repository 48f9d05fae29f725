// The address of something in shared memory, as the instructions that work there take it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

__device__ inline unsigned shared_address(void const* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

} // namespace spio::machine
