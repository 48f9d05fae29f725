// Asynchronous copies of one element from global to shared memory, in groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/async_copy.h"
#include "spio/cursor.h"

namespace spio {

// Elements that the hardware copies in one go.
template <class T>
concept copied_at_once = sizeof(T) == 16 || sizeof(T) == 8 || sizeof(T) == 4;

// The element at `from` comes to `to`, or zero if it is not wanted: it is not read then.
//     copy_async(tile[at], x[at], x[at].inbounds())
template <class To, class From>
    requires copied_at_once<typename To::data_type> &&
             same<typename To::data_type const, typename From::data_type const>
__device__ inline void copy_async(To const& to, From const& from, bool wanted = true) {
    constexpr int size = sizeof(typename To::data_type);
    if constexpr (size == 16) {
        machine::copy_16_async(to.get(), from.get(), wanted ? size : 0);
    } else {
        machine::copy_async<size>(to.get(), from.get(), wanted ? size : 0);
    }
}
template <class To, class FromOtherElements>
    requires(!copied_at_once<typename To::data_type> ||
             !same<typename To::data_type const, typename FromOtherElements::data_type const>)
void copy_async(To const&, FromOtherElements const&, bool = true) = delete;

// What this thread copied since the last commit is a group.
__device__ inline void commit_copies() { machine::commit_copies(); }
// Until all groups of this thread are there but the last so many.
template <int UnderWay = 0>
    requires(UnderWay >= 0)
__device__ inline void wait_for_copies() {
    machine::wait_for_copies<UnderWay>();
}

} // namespace spio
