// What the lanes of a warp tell each other: shuffles, votes, sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// The value of another lane: a given one, the one so many below or above, or with some bits
// flipped. Where there is no such lane, one's own.
__device__ inline unsigned shuffle(unsigned value, int lane, unsigned lanes) {
    unsigned got;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
                 : "=r"(got)
                 : "r"(value), "r"(lane), "r"(lanes));
    return got;
}
__device__ inline unsigned shuffle_up(unsigned value, int distance, unsigned lanes) {
    unsigned got;
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, %3;"
                 : "=r"(got)
                 : "r"(value), "r"(distance), "r"(lanes));
    return got;
}
__device__ inline unsigned shuffle_down(unsigned value, int distance, unsigned lanes) {
    unsigned got;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, %3;"
                 : "=r"(got)
                 : "r"(value), "r"(distance), "r"(lanes));
    return got;
}
__device__ inline unsigned shuffle_xor(unsigned value, int bits, unsigned lanes) {
    unsigned got;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, %3;"
                 : "=r"(got)
                 : "r"(value), "r"(bits), "r"(lanes));
    return got;
}

// A bit for each lane that says yes.
__device__ inline unsigned ballot(bool yes, unsigned lanes) {
    unsigned votes;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(votes)
                 : "r"(static_cast<unsigned>(yes)), "r"(lanes));
    return votes;
}

// Over all lanes (sm_80).
__device__ inline int sum_over(int value, unsigned lanes) {
    int sum;
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(sum) : "r"(value), "r"(lanes));
    return sum;
}
__device__ inline int least_over(int value, unsigned lanes) {
    int least;
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(least) : "r"(value), "r"(lanes));
    return least;
}
__device__ inline int greatest_over(int value, unsigned lanes) {
    int greatest;
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(greatest) : "r"(value), "r"(lanes));
    return greatest;
}

// Whether this lane is the one that acts for its warp (sm_90).
__device__ inline bool elect_lane(unsigned lanes) {
    unsigned chosen;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(chosen)
                 : "r"(lanes));
    return chosen != 0;
}

} // namespace spio::machine
