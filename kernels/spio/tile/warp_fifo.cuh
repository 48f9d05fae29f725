// A queue of words between warps, first in, first out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/atomic.h"
#include "machine/fence.h"
#include "spio/tile/warp.cuh"

namespace spio {

// The queue lies in shared memory. One warp calls a form of init, then the block synchronizes. A
// word may have any value but 0xffffffff. pop waits while the queue is empty, and push while it is
// full.
template <int Capacity>
    requires(Capacity > 0 && Capacity <= 32 && is_power_of_two(Capacity))
class warp_fifo {
  public:
    __device__ void init() { fill(0); }
    // Fills it with the numbers 0 to count - 1, as a pool of resources; count is at most Capacity.
    __device__ void init_with_numbers(int count) { fill(min(count, Capacity)); }

    // Called by all lanes of a warp together. Each gets the first word, once there is one.
    __device__ unsigned pop() {
        unsigned word = 0;
        if (is_first_lane()) {
            unsigned* const slot = slots_ + machine::atomic_add(&head_, 1) % Capacity;
            word = machine::atomic_exchange(slot, empty);
            while (word == empty) {
                machine::nap(20); // nanoseconds
                word = machine::atomic_exchange(slot, empty);
            }
            machine::fence_block();
        }
        // The first lane's fence orders its reads only; this orders those of the other lanes after
        // it.
        sync_warp();
        return shuffle(word, LANE(0));
    }
    __device__ void push(unsigned word) {
        sync_warp();
        if (is_first_lane()) {
            machine::fence_block();
            // The slot may still be full although the queue has room: the warp that popped its word
            // is slower than warps that popped later ones.
            unsigned* const slot = slots_ + machine::atomic_add(&tail_, 1) % Capacity;
            while (machine::atomic_compare_exchange(slot, empty, word) != empty) machine::nap(20);
        }
    }

  private:
    static constexpr unsigned empty = 0xffffffff;

    __device__ void fill(int count) {
        int const lane = this_lane().value;
        if (lane < Capacity) slots_[lane] = lane < count ? static_cast<unsigned>(lane) : empty;
        if (lane == 0) {
            head_ = 0;
            tail_ = static_cast<unsigned>(count);
        }
    }

    unsigned head_;
    unsigned tail_;
    unsigned slots_[Capacity];
};

// A word popped from a queue, which the destructor pushes back.
template <int Capacity> class borrowed {
  public:
    __device__ explicit borrowed(warp_fifo<Capacity>& fifo) : fifo_(fifo), word_(fifo.pop()) {}
    __device__ ~borrowed() { fifo_.push(word_); }
    borrowed(borrowed const&) = delete;
    borrowed& operator=(borrowed const&) = delete;

    __device__ unsigned get() const { return word_; }

  private:
    warp_fifo<Capacity>& fifo_;
    unsigned word_;
};

} // namespace spio
