// What the lanes of a warp tell each other: shuffles, votes, sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// The value of another lane: a given one, the one so many below or above, or with some bits
// flipped. Where there is no such lane, one's own.
unsigned shuffle(unsigned value, int lane, unsigned lanes);
unsigned shuffle_up(unsigned value, int distance, unsigned lanes);
unsigned shuffle_down(unsigned value, int distance, unsigned lanes);
unsigned shuffle_xor(unsigned value, int bits, unsigned lanes);

// A bit for each lane that says yes.
unsigned ballot(bool yes, unsigned lanes);

// Over all lanes (sm_80).
int sum_over(int value, unsigned lanes);
int least_over(int value, unsigned lanes);
int greatest_over(int value, unsigned lanes);

// Whether this lane is the one that acts for its warp (sm_90).
bool elect_lane(unsigned lanes);

} // namespace spio::machine
