// The sums of all splits added up to the weight gradient, and that of the bias.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/tap_sums.cuh"
#include "conv2d/wgrad_reduce.h"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::wgrad_reduce {

using namespace wgrad;
// Not those of fprop, if both are there.
using wgrad::D;
using wgrad::sums;

// A reader of a block, and what it reads.
struct READER : dim {
    using dim::dim;
};
struct ELEMENT : dim {
    using dim::dim;
};

using four = vec<float, 4>;
constexpr void add(four& to, four const& more) {
    for (int n = 0; n < four::size(); ++n) to[n] += more[n];
}

template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr axis<SPLIT> split{Config.splits};
    static constexpr axis<K> k{8 * Config.groups};
    static constexpr axis<PAIR> pair{pairs_of(Problem).count()};
    static constexpr axis<LANE> lane{32};
    using workspace = tensor<four const, split, k / 8, pair, lane>;
    using Element = compound_index<k / 8, pair, lane>;

    static constexpr axis<READER> reader{Config.readers};
    static constexpr axis<ELEMENT> element{Config.elements_of_block()};
    using Thread = compound_index<reader, element>;
    using sums_of_readers = tensor<four, reader, element>;

    static constexpr int rounds = divup(Config.splits, Config.readers);

    using number = typename either<Problem.gradient == precision::fp32, float, half>::type;
    using filter = tensor<number, axis<K>(Problem.c), axis<R>(Problem.r), axis<S>(Problem.s),
                          axis<C>(group_width)>;

    __device__ static four sum_of(workspace const& all, Element const& at, READER reader) {
        auto const mine = all[at];
        four sum = {};
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            SPLIT const next(reader.get() + round * Config.readers);
            if (next < SPLIT(Config.splits)) add(sum, *mine[next]);
        }
        return sum;
    }

    __device__ static void store(params const& p, Element const& at, four const& sum) {
        auto const group = at.template get<fold<K, 8>>();
        auto const place = for_lane<sums::lane_index>(at.template get<LANE>());
        auto const channel = K(unfold(group).get() + 2 * place.template get<fold<K, 2>>().get());
        C const c(place.template get<D>().get());
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            auto const [is, r, s] = pairs_of(Problem).at(at.template get<PAIR>().get(), half);
            if (is == kind::tap) {
                auto const dw = filter(static_cast<number*>(p.dw))[channel][R(r)][S(s)][c];
                *dw = number(sum[2 * half]);
                *dw[K(1)] = number(sum[2 * half + 1]);
            } else if (is == kind::bias && c == C(0)) {
                auto const dbias = tensor<float, axis<K>(Problem.c)>(p.dbias)[channel];
                *dbias = sum[2 * half];
                *dbias[K(1)] = sum[2 * half + 1];
            }
        }
    }

    __device__ __forceinline__ static void run(params const& p) {
        Thread const thread(this_thread());
        auto const mine = thread.template get<ELEMENT>();
        auto const first = thread.template get<READER>();
        Element const at(this_block() * element.size + mine.get());
        bool const is_there = at.offset() < OFFSET(Element::size());

        if constexpr (Config.overlaps) {
            let_kernels_after_start<sm_90a>();
            wait_for_kernels_before<sm_90a>();
        }
        four sum = {};
        if (is_there) sum = sum_of(workspace(p.workspace), at, READER(first.get()));
        if constexpr (Config.readers > 1) {
            auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
            auto const [of_readers, rest] = memory.template push<sums_of_readers>();
            *of_readers[thread] = sum;
            sync_block();
            if (first != READER(0)) return;
#pragma unroll
            for (int other = 1; other < Config.readers; ++other) {
                add(sum, *of_readers[mine][READER(other)]);
            }
        }
        if (is_there && at.template get<fold<K, 8>>() < fold<K, 8>(Problem.groups())) {
            store(p, at, sum);
        }
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config>::run(p);
}

} // namespace spio::conv2d::wgrad_reduce
