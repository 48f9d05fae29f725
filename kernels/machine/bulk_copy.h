// Bulk copies: ranges and boxes of tensors that the TMA engine copies (sm_90).
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor, made by the driver.
#pragma once

#include "machine/mbarrier.h"
#include "spio/launch_values.h"

namespace spio::machine {

// Copies a multiple of 16 bytes between addresses that are aligned to 16.
__device__ inline void bulk_load(void* shared, void const* global, int bytes,
                                 mbarrier_word* barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(shared)),
        "l"(global), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}
__device__ inline void bulk_store(void* global, void const* shared, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
}

// Copies a box of a tensor, given the coordinates of its first element, innermost first. Elements
// outside the tensor load as zero and are not stored. A load may begin before the tensor; a store
// that does is an illegal instruction (seen on an H200).
__device__ inline void box_load(void* shared, tensor_map_words const* map,
                                int const (&coordinates)[1], mbarrier_word* barrier) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3}], [%2];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0])
                 : "memory");
}
__device__ inline void box_load(void* shared, tensor_map_words const* map,
                                int const (&coordinates)[2], mbarrier_word* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1])
                 : "memory");
}
__device__ inline void box_load(void* shared, tensor_map_words const* map,
                                int const (&coordinates)[3], mbarrier_word* barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1]),
                 "r"(coordinates[2])
                 : "memory");
}
__device__ inline void box_load(void* shared, tensor_map_words const* map,
                                int const (&coordinates)[4], mbarrier_word* barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1]),
                 "r"(coordinates[2]), "r"(coordinates[3])
                 : "memory");
}
__device__ inline void box_load(void* shared, tensor_map_words const* map,
                                int const (&coordinates)[5], mbarrier_word* barrier) {
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1]),
                 "r"(coordinates[2]), "r"(coordinates[3]), "r"(coordinates[4])
                 : "memory");
}
// The same for several blocks of the cluster, those whose ranks are bits of the mask. The box and
// the bytes that the barrier counts come to the same addresses in each of them.
__device__ inline void box_multicast(void* shared, tensor_map_words const* map,
                                     int const (&coordinates)[2], mbarrier_word* barrier,
                                     unsigned short ranks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(shared)),
        "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1]), "h"(ranks)
        : "memory");
}
__device__ inline void box_multicast(void* shared, tensor_map_words const* map,
                                     int const (&coordinates)[3], mbarrier_word* barrier,
                                     unsigned short ranks) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(shared)),
        "l"(map), "r"(shared_address(barrier)), "r"(coordinates[0]), "r"(coordinates[1]),
        "r"(coordinates[2]), "h"(ranks)
        : "memory");
}
__device__ inline void box_store(tensor_map_words const* map, int const (&coordinates)[1],
                                 void const* shared) {
    asm volatile(
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(map),
        "r"(shared_address(shared)), "r"(coordinates[0])
        : "memory");
}
__device__ inline void box_store(tensor_map_words const* map, int const (&coordinates)[2],
                                 void const* shared) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
            map),
        "r"(shared_address(shared)), "r"(coordinates[0]), "r"(coordinates[1])
        : "memory");
}
__device__ inline void box_store(tensor_map_words const* map, int const (&coordinates)[3],
                                 void const* shared) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::
            "l"(map),
        "r"(shared_address(shared)), "r"(coordinates[0]), "r"(coordinates[1]), "r"(coordinates[2])
        : "memory");
}
__device__ inline void box_store(tensor_map_words const* map, int const (&coordinates)[4],
                                 void const* shared) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
                 "r"(shared_address(shared)), "r"(coordinates[0]), "r"(coordinates[1]),
                 "r"(coordinates[2]), "r"(coordinates[3])
                 : "memory");
}
__device__ inline void box_store(tensor_map_words const* map, int const (&coordinates)[5],
                                 void const* shared) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
                 "r"(shared_address(shared)), "r"(coordinates[0]), "r"(coordinates[1]),
                 "r"(coordinates[2]), "r"(coordinates[3]), "r"(coordinates[4])
                 : "memory");
}
// Brings a box of a tensor into the L2 cache.
__device__ inline void box_prefetch(tensor_map_words const* map, int const (&coordinates)[3]) {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(map),
                 "r"(coordinates[0]), "r"(coordinates[1]), "r"(coordinates[2])
                 : "memory");
}
__device__ inline void box_prefetch(tensor_map_words const* map, int const (&coordinates)[4]) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%1, %2, %3, %4}];" ::"l"(map),
        "r"(coordinates[0]), "r"(coordinates[1]), "r"(coordinates[2]), "r"(coordinates[3])
        : "memory");
}
// Brings bytes, a multiple of 16, into the L2 cache.
__device__ inline void bulk_prefetch(void const* global, int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
}
// Brings a tensor map into the cache.
__device__ inline void prefetch_map(tensor_map_words const* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// A commit makes a group of all stores of this thread since the last commit. A wait returns when at
// most the last `Pending` groups have not read their shared memory, or not written global memory.
__device__ inline void commit_bulk_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Pending> __device__ inline void wait_for_bulk_reads() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
template <int Pending> __device__ inline void wait_for_bulk_stores() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

} // namespace spio::machine
