// Exchanges between the lanes of a warp: shuffles, votes, reductions.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/warp.h.
#pragma once

namespace spio::machine {

// Returns `value` of another lane: lane `lane` (shuffle), the lane `distance` below (shuffle_up) or
// above (shuffle_down), or the lane whose number differs in `bits` (shuffle_xor). If there is no
// such lane, returns the caller's own value. `lanes` is the mask of the lanes that take part.
unsigned shuffle(unsigned value, int lane, unsigned lanes);
unsigned shuffle_up(unsigned value, int distance, unsigned lanes);
unsigned shuffle_down(unsigned value, int distance, unsigned lanes);
unsigned shuffle_xor(unsigned value, int bits, unsigned lanes);

// Returns a mask of the lanes whose vote is true.
unsigned ballot(bool vote, unsigned lanes);

// The sum, minimum and maximum of `value` over the lanes of the mask (sm_80).
int sum_over(int value, unsigned lanes);
int least_over(int value, unsigned lanes);
int greatest_over(int value, unsigned lanes);

// Whether this lane is the one that was elected among the lanes of the mask (sm_90).
bool elect_lane(unsigned lanes);

} // namespace spio::machine
