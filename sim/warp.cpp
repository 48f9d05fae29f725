// Shuffles, votes and sums over the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0
#include "machine/warp.h"
#include "sim/meeting.h"
#include "sim/refusal.h"

#include <algorithm>
#include <bit>

namespace spio::sim {

struct shuffle_call {
    unsigned value;
    int by;
    unsigned got;
};

// The lane that a lane reads; beyond the warp, itself.
using source_of = int (*)(int lane, int by);
template <source_of Source> static void perform_shuffle(meeting& all) {
    for_each_lane(all.lanes, [&](int lane) {
        auto& call = argument_of<shuffle_call>(all, lane);
        int const asked = Source(lane, call.by & 31);
        int const source = asked < 0 || asked > 31 ? lane : asked;
        if (!(all.lanes >> source & 1)) {
            refuse(all.first[lane], misuse::collective_mismatch,
                   "lane %d reads lane %d by %s of lanes %s, which do not include it", lane, source,
                   all.operation->name, lane_ranges(all.lanes).text);
        }
        call.got = argument_of<shuffle_call>(all, source).value;
    });
}
static int any_lane(int, int by) { return by; }
static int lane_below(int lane, int by) { return lane - by; }
static int lane_above(int lane, int by) { return lane + by; }
static int lane_across(int lane, int by) { return lane ^ by; }

constexpr warp_operation shuffles[] = {{"shuffle", perform_shuffle<any_lane>},
                                       {"shuffle_up", perform_shuffle<lane_below>},
                                       {"shuffle_down", perform_shuffle<lane_above>},
                                       {"shuffle_xor", perform_shuffle<lane_across>}};
static unsigned shuffled(warp_operation const& how, unsigned value, int by, unsigned lanes) {
    shuffle_call call = {value, by, 0};
    meet(how, lanes, &call);
    return call.got;
}

struct vote_call {
    bool yes;
    unsigned votes;
};
static void perform_ballot(meeting& all) {
    unsigned votes = 0;
    for_each_lane(all.lanes, [&](int lane) {
        votes |= static_cast<unsigned>(argument_of<vote_call>(all, lane).yes) << lane;
    });
    for_each_lane(all.lanes, [&](int lane) { argument_of<vote_call>(all, lane).votes = votes; });
}
constexpr warp_operation ballot_operation = {"ballot", perform_ballot};

using reduction = int (*)(int, int);
template <reduction Reduce> static void perform_reduction(meeting& all) {
    int sum = argument_of<int>(all, std::countr_zero(all.lanes));
    for_each_lane(all.lanes & (all.lanes - 1),
                  [&](int lane) { sum = Reduce(sum, argument_of<int>(all, lane)); });
    for_each_lane(all.lanes, [&](int lane) { argument_of<int>(all, lane) = sum; });
}
static int sum_of(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
static int least_of(int a, int b) { return std::min(a, b); }
static int greatest_of(int a, int b) { return std::max(a, b); }
constexpr warp_operation sum_operation = {"sum_over", perform_reduction<sum_of>};
constexpr warp_operation least_operation = {"least_over", perform_reduction<least_of>};
constexpr warp_operation greatest_operation = {"greatest_over", perform_reduction<greatest_of>};

static void perform_election(meeting& all) {
    for_each_lane(all.lanes, [&](int lane) {
        argument_of<bool>(all, lane) = lane == std::countr_zero(all.lanes);
    });
}
constexpr warp_operation election = {"elect_lane", perform_election};

} // namespace spio::sim

namespace spio::machine {

unsigned shuffle(unsigned value, int lane, unsigned lanes) {
    return sim::shuffled(sim::shuffles[0], value, lane, lanes);
}
unsigned shuffle_up(unsigned value, int distance, unsigned lanes) {
    return sim::shuffled(sim::shuffles[1], value, distance, lanes);
}
unsigned shuffle_down(unsigned value, int distance, unsigned lanes) {
    return sim::shuffled(sim::shuffles[2], value, distance, lanes);
}
unsigned shuffle_xor(unsigned value, int bits, unsigned lanes) {
    return sim::shuffled(sim::shuffles[3], value, bits, lanes);
}
unsigned ballot(bool yes, unsigned lanes) {
    sim::vote_call call = {yes, 0};
    sim::meet(sim::ballot_operation, lanes, &call);
    return call.votes;
}
int sum_over(int value, unsigned lanes) {
    sim::meet(sim::sum_operation, lanes, &value);
    return value;
}
int least_over(int value, unsigned lanes) {
    sim::meet(sim::least_operation, lanes, &value);
    return value;
}
int greatest_over(int value, unsigned lanes) {
    sim::meet(sim::greatest_operation, lanes, &value);
    return value;
}
bool elect_lane(unsigned lanes) {
    bool chosen = false;
    sim::meet(sim::election, lanes, &chosen);
    return chosen;
}

} // namespace spio::machine
