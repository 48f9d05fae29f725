// Exchanges between the lanes of a warp: shuffles, votes, reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// The value of another lane: by its number, by its distance below or above, or with some bits of
// the number flipped. Where there is no such lane, the lane's own value. The mask `lanes` has a bit
// for each lane that takes part.
__device__ inline unsigned shuffle(unsigned value, int lane, unsigned lanes) {
    unsigned result;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
                 : "=r"(result)
                 : "r"(value), "r"(lane), "r"(lanes));
    return result;
}
__device__ inline unsigned shuffle_up(unsigned value, int distance, unsigned lanes) {
    unsigned result;
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, %3;"
                 : "=r"(result)
                 : "r"(value), "r"(distance), "r"(lanes));
    return result;
}
__device__ inline unsigned shuffle_down(unsigned value, int distance, unsigned lanes) {
    unsigned result;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, %3;"
                 : "=r"(result)
                 : "r"(value), "r"(distance), "r"(lanes));
    return result;
}
__device__ inline unsigned shuffle_xor(unsigned value, int bits, unsigned lanes) {
    unsigned result;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, %3;"
                 : "=r"(result)
                 : "r"(value), "r"(bits), "r"(lanes));
    return result;
}

// A mask of the lanes whose vote is true.
__device__ inline unsigned ballot(bool vote, unsigned lanes) {
    unsigned votes;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(votes)
                 : "r"(static_cast<unsigned>(vote)), "r"(lanes));
    return votes;
}

// Reductions over the lanes of the mask (sm_80).
__device__ inline int sum_over(int value, unsigned lanes) {
    int sum;
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(sum) : "r"(value), "r"(lanes));
    return sum;
}
__device__ inline int least_over(int value, unsigned lanes) {
    int min;
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(min) : "r"(value), "r"(lanes));
    return min;
}
__device__ inline int greatest_over(int value, unsigned lanes) {
    int max;
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(max) : "r"(value), "r"(lanes));
    return max;
}

// Whether this lane is the one that was elected among the lanes of the mask (sm_90).
__device__ inline bool elect_lane(unsigned lanes) {
    unsigned is_elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_elected)
                 : "r"(lanes));
    return is_elected != 0;
}

} // namespace spio::machine
