// Shuffles, votes and sums of one warp, and a word borrowed from a queue by all of its lanes.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. push<T>() takes room for a tensor T from the
// block's shared memory, and returns it and the rest. Each of the `lanes` has a number, and a `row`
// of results, one for each ANSWER.
#include "spio/tile/warp.cuh"
#include "spio/tile/warp_fifo.cuh"
#include "warp.h"

extern "C" __global__ void warp_answers(spio::test::warp::params p) {
    using namespace spio;
    using namespace spio::test::warp;
    using queue = warp_fifo<4>; // of at most four words
    using cells = tensor<int, lanes>;
    auto const memory = dynamic_shared_memory<512>();
    auto const [fifos, after_fifos] = memory.template push<tensor<queue, axis<WARP>(1)>>();
    auto const written = after_fifos.template push<cells>().tensor;

    auto const lane = this_lane();
    int const number = *tensor<int const, lanes>(p.numbers)[lane];
    auto const answers = row(p.answers)[lane];
    int next = 0;
    auto const store = [&](int answer) { *answers[ANSWER(next++)] = answer; };

    store(shuffle(number, LANE(7)));
    store(shuffle_xor<5>(number));
    store(shuffle_up(number, LANE(3)));
    store(shuffle_down(number, LANE(3)));
    store(static_cast<int>(ballot_lanes(number > 0)));
    store(any_lane(number == 31));
    store(any_lane(number == 1000));
    store(all_of_lanes(number < 1000));
    store(sum_lanes(number));
    store(min_lanes(number));
    store(max_lanes(number));
    store(static_cast<int>(sum_lanes(static_cast<float>(number))));
    store(static_cast<int>(sum_lanes<8>(static_cast<float>(number))));
    store(reduce_lanes<4>(number, [](int a, int b) { return a > b ? a : b; }));
    store(is_first_lane());

    // Values that any lane wrote before a push are visible to all lanes after the pop. `borrowed`
    // pops the word 2, and its destructor pushes it back.
    auto& fifo = *fifos[WARP(0)];
    fifo.init();
    sync_warp();
    *written[lane] = number;
    fifo.push(2);
    {
        borrowed<4> const word(fifo);
        store(*written[LANE(31) - LANE(lane)] + static_cast<int>(word.get()));
    }
}
