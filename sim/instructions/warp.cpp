// Shuffles, votes and reductions over the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together, once all have arrived
// with their arguments. A misuse breaks a rule of the GPU and ends the launch with a report.
#include "machine/warp.h"
#include "sim/checker/diagnostic.h"
#include "sim/instructions/collective.h"

#include <algorithm>
#include <bit>

namespace spio::sim {

// What a lane brings to a shuffle.
struct shuffle_argument {
    unsigned value;
    int distance; // for shuffle the lane, for shuffle_xor a mask of bits
    unsigned result;
};

// Computes the lane whose value `lane` reads. A lane for which the result is not 0 to 31 reads its
// own value.
using source_function = int (*)(int lane, int distance);
static int absolute_lane(int, int distance) { return distance; }
static int lane_below(int lane, int distance) { return lane - distance; }
static int lane_above(int lane, int distance) { return lane + distance; }
static int lane_across(int lane, int distance) { return lane ^ distance; }

// Gives each lane the value of the lane that Source names, or its own if there is none.
template <source_function Source> static void perform_shuffle(collective& collective) {
    for_each_lane(collective.lanes, [&](int lane) {
        auto& argument = argument_of<shuffle_argument>(collective, lane);
        int const chosen = Source(lane, argument.distance & 31);
        int const source = chosen < 0 || chosen > 31 ? lane : chosen;
        if (!(collective.lanes >> source & 1)) {
            raise_misuse(collective.lane_0[lane], misuse::collective_mismatch,
                         "lane %d reads lane %d by %s of lanes %s, which do not include it", lane,
                         source, collective.operation->name, lane_ranges(collective.lanes).text);
        }
        argument.result = argument_of<shuffle_argument>(collective, source).value;
    });
}
constexpr warp_operation shuffle_lane = {"shuffle", perform_shuffle<absolute_lane>};
constexpr warp_operation shuffle_below = {"shuffle_up", perform_shuffle<lane_below>};
constexpr warp_operation shuffle_above = {"shuffle_down", perform_shuffle<lane_above>};
constexpr warp_operation shuffle_across = {"shuffle_xor", perform_shuffle<lane_across>};

static unsigned shuffle(warp_operation const& operation, unsigned value, int distance,
                        unsigned lanes) {
    shuffle_argument argument = {value, distance, 0};
    run_collective(operation, lanes, &argument);
    return argument.result;
}

// What a lane brings to a vote or a reduction.
struct vote_argument {
    bool vote;
    unsigned result;
};
// A bit for each lane that votes yes.
static void perform_ballot(collective& collective) {
    unsigned votes = 0;
    for_each_lane(collective.lanes, [&](int lane) {
        bool const vote = argument_of<vote_argument>(collective, lane).vote;
        votes |= static_cast<unsigned>(vote) << lane;
    });
    for_each_lane(collective.lanes,
                  [&](int lane) { argument_of<vote_argument>(collective, lane).result = votes; });
}
constexpr warp_operation ballot_operation = {"ballot", perform_ballot};

// Combines two lanes' values.
using reduction = int (*)(int, int);
template <reduction Reduce> static void perform_reduction(collective& collective) {
    int result = argument_of<int>(collective, std::countr_zero(collective.lanes));
    for_each_lane(collective.lanes & (collective.lanes - 1),
                  [&](int lane) { result = Reduce(result, argument_of<int>(collective, lane)); });
    for_each_lane(collective.lanes, [&](int lane) { argument_of<int>(collective, lane) = result; });
}
static int sum_of(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
static int min_of(int a, int b) { return std::min(a, b); }
static int max_of(int a, int b) { return std::max(a, b); }
constexpr warp_operation sum_operation = {"sum_over", perform_reduction<sum_of>};
constexpr warp_operation min_operation = {"least_over", perform_reduction<min_of>};
constexpr warp_operation max_operation = {"greatest_over", perform_reduction<max_of>};

static void perform_election(collective& collective) {
    for_each_lane(collective.lanes, [&](int lane) {
        argument_of<bool>(collective, lane) = lane == std::countr_zero(collective.lanes);
    });
}
constexpr warp_operation election = {"elect_lane", perform_election};

} // namespace spio::sim

namespace spio::machine {

unsigned shuffle(unsigned value, int lane, unsigned lanes) {
    return sim::shuffle(sim::shuffle_lane, value, lane, lanes);
}
unsigned shuffle_up(unsigned value, int distance, unsigned lanes) {
    return sim::shuffle(sim::shuffle_below, value, distance, lanes);
}
unsigned shuffle_down(unsigned value, int distance, unsigned lanes) {
    return sim::shuffle(sim::shuffle_above, value, distance, lanes);
}
unsigned shuffle_xor(unsigned value, int bits, unsigned lanes) {
    return sim::shuffle(sim::shuffle_across, value, bits, lanes);
}
unsigned ballot(bool vote, unsigned lanes) {
    sim::vote_argument argument = {vote, 0};
    sim::run_collective(sim::ballot_operation, lanes, &argument);
    return argument.result;
}
int sum_over(int value, unsigned lanes) {
    sim::run_collective(sim::sum_operation, lanes, &value);
    return value;
}
int least_over(int value, unsigned lanes) {
    sim::run_collective(sim::min_operation, lanes, &value);
    return value;
}
int greatest_over(int value, unsigned lanes) {
    sim::run_collective(sim::max_operation, lanes, &value);
    return value;
}
bool elect_lane(unsigned lanes) {
    bool is_elected = false;
    sim::run_collective(sim::election, lanes, &is_elected);
    return is_elected;
}

} // namespace spio::machine
