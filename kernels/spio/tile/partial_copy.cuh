// Asynchronous copies of some of the bytes of an element of 4 or 8 bytes.
// SPDX-License-Identifier: Apache-2.0
//
// The destination is a cursor, a place in a tensor.
#pragma once

#include "machine/async_copy.h"
#include "spio/cursor.h"

namespace spio {

// Copies the first bytes of an element from global to shared memory, and writes zeros for the
// others without reading. Both addresses are multiples of the size of the element.
template <class To>
    requires(sizeof(typename To::data_type) == 4 || sizeof(typename To::data_type) == 8)
__device__ inline void copy_some_async(To const& destination, void const* source, int bytes) {
    constexpr int size = sizeof(typename To::data_type);
    machine::copy_async<size>(destination.get(), source, bytes);
}

} // namespace spio
