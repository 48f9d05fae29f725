// A queue of words between warps, first in, first out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/atomic.h"
#include "machine/fence.h"
#include "spio/tile/warp.cuh"

namespace spio {

// Its words lie in shared memory. One warp calls a form of init, then the block syncs. It holds any
// word but 0xffffffff. Who takes from an empty one waits, and who adds to a full one.
template <int Capacity>
    requires(Capacity > 0 && Capacity <= 32 && is_power_of_two(Capacity))
class warp_fifo {
  public:
    __device__ void init() { fill(0); }
    // With the numbers 0 to count - 1, to be taken and given back; so many there must be room for.
    __device__ void init_with_numbers(int count) { fill(min(count, Capacity)); }

    // All lanes of a warp, together; each gets the word that was first, once there is one.
    __device__ unsigned pop() {
        unsigned word = 0;
        if (is_first_lane()) {
            unsigned* const slot = slots_ + machine::atomic_add(&head_, 1) % Capacity;
            word = machine::atomic_exchange(slot, empty);
            while (word == empty) {
                machine::nap(20);
                word = machine::atomic_exchange(slot, empty);
            }
            machine::fence_block();
        }
        // What the first lane knows by its fence, all lanes shall know.
        sync_warp();
        return shuffle(word, LANE(0));
    }
    __device__ void push(unsigned word) {
        sync_warp();
        if (is_first_lane()) {
            machine::fence_block();
            // A place may still be full although there is room: who asked for its word is slower
            // than those who asked later.
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

// A word taken from a queue, given back at the end of the scope.
template <int Capacity> class borrowed {
  public:
    __device__ explicit borrowed(warp_fifo<Capacity>& from) : from_(from), word_(from.pop()) {}
    __device__ ~borrowed() { from_.push(word_); }
    borrowed(borrowed const&) = delete;
    borrowed& operator=(borrowed const&) = delete;

    __device__ unsigned get() const { return word_; }

  private:
    warp_fifo<Capacity>& from_;
    unsigned word_;
};

} // namespace spio
