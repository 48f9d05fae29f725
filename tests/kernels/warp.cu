// Shuffles, votes and sums of one warp, and a word borrowed from a queue by all of its lanes.
// SPDX-License-Identifier: Apache-2.0
#include "spio/tile/warp.cuh"
#include "spio/tile/warp_fifo.cuh"
#include "warp.h"

extern "C" __global__ void warp_answers(spio::test::warp::params p) {
    using namespace spio;
    using namespace spio::test::warp;
    using queue = warp_fifo<4>;
    using cells = tensor<int, lanes>;
    auto const memory = dynamic_shared_memory<512>();
    auto const [fifos, after_fifos] = memory.template push<tensor<queue, axis<WARP>(1)>>();
    auto const written = after_fifos.template push<cells>().tensor;

    auto const lane = this_lane();
    int const mine = *tensor<int const, lanes>(p.numbers)[lane];
    auto const to = row(p.answers)[lane];
    int next = 0;
    auto const tell = [&](int answer) { *to[ANSWER(next++)] = answer; };

    tell(shuffle(mine, LANE(7)));
    tell(shuffle_xor<5>(mine));
    tell(shuffle_up(mine, LANE(3)));
    tell(shuffle_down(mine, LANE(3)));
    tell(static_cast<int>(ballot_lanes(mine > 0)));
    tell(any_lane(mine == 31));
    tell(any_lane(mine == 1000));
    tell(all_of_lanes(mine < 1000));
    tell(sum_lanes(mine));
    tell(min_lanes(mine));
    tell(max_lanes(mine));
    tell(static_cast<int>(sum_lanes(static_cast<float>(mine))));
    tell(static_cast<int>(sum_lanes<8>(static_cast<float>(mine))));
    tell(reduce_lanes<4>(mine, [](int a, int b) { return a > b ? a : b; }));
    tell(is_first_lane());

    // What every lane wrote before a push, every lane may read after the pop.
    auto& fifo = *fifos[WARP(0)];
    fifo.init();
    sync_warp();
    *written[lane] = mine;
    fifo.push(2);
    {
        borrowed<4> const word(fifo);
        tell(*written[LANE(31) - LANE(lane)] + static_cast<int>(word.get()));
    }
}
