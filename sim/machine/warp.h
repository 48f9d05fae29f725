// Exchanges between the lanes of a warp: shuffles, votes, reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// The value of another lane: by its number, by its distance below or above, or with some bits
// flipped. Where there is no such lane, the lane's own value.
unsigned shuffle(unsigned value, int lane, unsigned lanes);
unsigned shuffle_up(unsigned value, int distance, unsigned lanes);
unsigned shuffle_down(unsigned value, int distance, unsigned lanes);
unsigned shuffle_xor(unsigned value, int bits, unsigned lanes);

// A mask of the lanes whose vote is true.
unsigned ballot(bool vote, unsigned lanes);

// Reductions over the lanes of the mask (sm_80).
int sum_over(int value, unsigned lanes);
int least_over(int value, unsigned lanes);
int greatest_over(int value, unsigned lanes);

// Whether this lane is the one that was elected among the lanes of the mask (sm_90).
bool elect_lane(unsigned lanes);

} // namespace spio::machine
