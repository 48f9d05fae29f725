// Asynchronous copies of one element from global to shared memory, in groups.
// SPDX-License-Identifier: Apache-2.0
//
// Places are given by cursors: a cursor is a position in a tensor, and get() is its address. A
// function that is deleted is an error message: the names of its template parameters say what is
// wrong.
#pragma once

#include "machine/async_copy.h"
#include "spio/cursor.h"

namespace spio {

// The types of element that one instruction copies.
template <class T>
concept copied_at_once = sizeof(T) == 16 || sizeof(T) == 8 || sizeof(T) == 4;

// Copies an element from global to shared memory, or writes zero without reading if it is not
// valid.
//     copy_async(tile[position], x[position], x[position].inbounds())
template <class To, class From>
    requires copied_at_once<typename To::data_type> &&
             same<typename To::data_type const, typename From::data_type const>
__device__ inline void copy_async(To const& destination, From const& source, bool is_valid = true) {
    constexpr int size = sizeof(typename To::data_type);
    if constexpr (size == 16) {
        machine::copy_16_async(destination.get(), source.get(), is_valid ? size : 0);
    } else {
        machine::copy_async<size>(destination.get(), source.get(), is_valid ? size : 0);
    }
}
template <class To, class FromOtherElements>
    requires(!copied_at_once<typename To::data_type> ||
             !same<typename To::data_type const, typename FromOtherElements::data_type const>)
void copy_async(To const&, FromOtherElements const&, bool = true) = delete;

// Copies the first bytes of a cell of 16 bytes, and writes zeros for the others without reading.
template <class To>
    requires(sizeof(typename To::data_type) == 16)
__device__ inline void copy_part_async(To const& destination, void const* source, int bytes) {
    machine::copy_16_async(destination.get(), source, bytes);
}

// Makes a group of the copies that this thread has issued since the last commit.
__device__ inline void commit_copies() { machine::commit_copies(); }
// Waits until at most the last InFlight groups of this thread are incomplete.
template <int InFlight = 0>
    requires(InFlight >= 0)
__device__ inline void wait_for_copies() {
    machine::wait_for_copies<InFlight>();
}

} // namespace spio
