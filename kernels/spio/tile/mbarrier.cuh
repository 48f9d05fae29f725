// Barriers that count the arrivals of threads and the bytes of copies, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/fence.h"
#include "machine/mbarrier.h"
#include "spio/tile/arch.h"
#include "spio/tile/thread.cuh"

namespace spio {

// A barrier in shared memory. A phase ends when all threads have arrived and all expected bytes
// have been copied.
//     auto const [full, rest] = memory.template push<tensor<mbarrier<Arch>, stages>>();
template <arch Arch>
    requires(Arch.number >= 80)
struct mbarrier {
    machine::mbarrier_word word;

    // Called by one thread; the others see the barrier once that thread has called publish(), and
    // then all sync_block().
    __device__ void init(int arrivals) { machine::mbarrier_init(&word, arrivals); }
    // Ends the barrier, after which its memory may be used for something else.
    __device__ void invalidate() { machine::mbarrier_invalidate(&word); }
    __device__ static void publish() {
        if constexpr (has_bulk_copies<Arch>) machine::fence_mbarrier_init();
    }

    __device__ void arrive() { machine::mbarrier_arrive(&word); }
    // Arrives at the barrier at the same place in another block of the cluster.
    __device__ void arrive_in_cluster(int rank)
        requires has_bulk_copies<Arch>
    {
        machine::mbarrier_arrive_in_cluster(&word, rank);
    }
    // Arrives, without waiting, when all cp.async copies that this thread has issued have
    // completed. It is one of the arrivals that init() counts.
    __device__ void arrive_after_copies() { machine::mbarrier_arrive_after_copies(&word); }
    // Arrives, and adds the bytes of copies that this phase must wait for.
    __device__ void arrive_and_expect(int bytes)
        requires has_bulk_copies<Arch>
    {
        machine::mbarrier_arrive_and_expect(&word, bytes);
    }
    // An error message: the name of its template parameter says what is wrong.
    template <arch ArchWithoutCountsOfBytes = Arch>
        requires(!has_bulk_copies<ArchWithoutCountsOfBytes>)
    void arrive_and_expect(int) = delete;

    // Waits until the phase of this parity has ended. The first phase has parity 0, then they
    // alternate.
    __device__ void wait(int parity) {
        while (!has_ended(parity)) {
        }
    }
    // Whether the phase of this parity has ended; where the chip can, it waits a while for that.
    __device__ bool has_ended(int parity) {
        if constexpr (has_bulk_copies<Arch>) {
            return machine::mbarrier_try_wait(&word, parity);
        } else {
            return machine::mbarrier_test(&word, parity);
        }
    }
};

// The position of a loop in a ring of Stages buffers, or of the first of them alone, and the parity
// of the barrier of that buffer.
//     for (ring_position<STAGE, 4> ring; …; ++ring) full[ring.stage()].wait(ring.parity());
template <index Stage, int Stages> class ring_position {
  public:
    constexpr ring_position() = default;
    constexpr explicit ring_position(int used) : used_(used) {}

    constexpr auto stage() const { return bounded<Stage, Stages>(stage_); }
    constexpr int parity() const { return parity_; }
    constexpr ring_position& operator++() {
        if (++stage_ == used_) {
            stage_ = 0;
            parity_ ^= 1;
        }
        return *this;
    }
    constexpr ring_position& operator+=(int steps) {
        stage_ += steps;
        parity_ ^= stage_ / used_ % 2;
        stage_ %= used_;
        return *this;
    }

  private:
    int stage_ = 0;
    int parity_ = 0;
    int used_ = Stages;
};

} // namespace spio
