// The results of shuffles, votes and sums of a warp against loops over its lanes.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// same_bits() keeps what all devices must agree on. The 16 answers of each lane are in the order in
// which the kernel computes them.
#include "warp.h"
#include "trial.h"

#include <algorithm>
#include <numeric>

extern "C" void warp_answers(spio::test::warp::params p);

namespace {

using namespace spio;

void run(test::trial& trial) {
    std::vector<int> numbers(32);
    for (int& number : numbers) number = static_cast<int>(trial.random()() % 101) - 50;
    numbers[9] = 31; // so that a vote whether any number is 31 says yes
    auto const number_of = [&](int lane) { return numbers[static_cast<std::size_t>(lane)]; };
    auto const sum_of = [&](int first, int count) {
        return std::accumulate(numbers.begin() + first, numbers.begin() + first + count, 0);
    };
    unsigned positive = 0;
    for (int lane = 0; lane < 32; ++lane)
        positive |= static_cast<unsigned>(number_of(lane) > 0) << lane;

    std::vector<int> expected;
    for (int lane = 0; lane < 32; ++lane) {
        int const group = lane / 4 * 4;
        int const most = std::max(
            {number_of(group), number_of(group + 1), number_of(group + 2), number_of(group + 3)});
        for (int const answer : {
                 number_of(7),                                      // shuffle
                 number_of(lane ^ 5),                               // shuffle_xor
                 lane < 3 ? number_of(lane) : number_of(lane - 3),  // shuffle_up
                 lane > 28 ? number_of(lane) : number_of(lane + 3), // shuffle_down
                 static_cast<int>(positive),                        // ballot
                 1,                                                 // any number is 31
                 0,                                                 // any number is 1000
                 1,                                                 // all are below 1000
                 sum_of(0, 32),                                     // sum of all lanes
                 *std::ranges::min_element(numbers),                // minimum
                 *std::ranges::max_element(numbers),                // maximum
                 sum_of(0, 32),                                     // sum in float
                 sum_of(lane / 8 * 8, 8),                           // sum of 8 lanes
                 most,                                              // reduction of 4 lanes
                 static_cast<int>(lane == 0),                       // is_first_lane
                 number_of(31 - lane) + 2                           // by a queue that held 2
             }) {
            expected.push_back(answer);
        }
    }
    auto const x = trial.make("numbers", numbers);
    auto const y = trial.make<int>("answers", expected.size());
    trial.launch(test::kernel<test::warp::params>{"warp_answers", warp_answers},
                 {.block = {32}, .shared_bytes = 512}, {.numbers = x.data(), .answers = y.data()});
    auto const got = y.read();
    trial.expect_equal("answers", got, expected);
    trial.same_bits("answers", got);
}
test::test_case const warp_case("warp", run);

} // namespace
