// LayerNorm over the channels of images, as fast as they can be copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layernorm_2d/problem.h"
#include "spio/facts.h"
#include "spio/tile/arithmetic.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/vector.h"
#include "spio/tile/warp.cuh"

namespace spio::layernorm_2d {

using half8 = vec<half2, 4>;
using float4 = vec<float, 4>;
using C4 = fold<C, 4>;

struct STATISTIC : dim {
    using dim::dim;
};
inline constexpr STATISTIC mean_of_values = STATISTIC(0);
inline constexpr STATISTIC mean_of_squares = STATISTIC(1);

// Channels of one position that a thread has: their values, or what is to be done to them.
template <int Vectors> struct channels_of_thread {
    float of[Vectors][8];

    template <index Vector> __device__ auto& operator[](Vector v) { return of[v.get()]; }
    template <index Vector> __device__ auto const& operator[](Vector v) const {
        return of[v.get()];
    }
};

template <problem Problem, config Config>
    requires(Problem.is_possible() && Config.fits(Problem))
struct layer {
    static constexpr int lanes = Config.lanes;
    static constexpr int warps = Config.warps();
    static constexpr axis<X> x{Config.positions};
    static constexpr axis<X> staged_x{Config.positions * Config.stages};
    static constexpr axis<C> c{8 * lanes * Config.vectors};
    static constexpr axis<C> channels{Problem.channels};

    using Block = fold<X, Config.positions * Config.rounds>;
    using Round = fold<X, Config.positions>;
    using Thread = compound_index<x, c / 8 % lanes>;
    using Vector = fold<C, 8 * lanes>;

    using source = tensor<half8 const, axis<X>(dynamic), channels / 8>;
    using target = tensor<half8, axis<X>(dynamic), channels / 8>;
    using factors = tensor<float4 const, channels / 4>;

    // Each thread's own vectors, of a few rounds.
    static constexpr axis<OFFSET> threads{Config.threads()};
    using tile = tensor<half8, staged_x.ring() / Config.positions, c / (8 * lanes), threads>;
    static_assert(bank_conflicts<tile, compound_index<threads>>() == 0);
    using sums = tensor<float, axis<STATISTIC>(2).pitch(Config.sums()), axis<WARP>(warps)>;

    using values = channels_of_thread<Config.vectors>;

    // Whether a thread's vector is one of the position's.
    __device__ static bool has(Thread const& thread, Vector v) {
        if constexpr (c.size == channels.size) {
            return true;
        } else {
            return thread + v < C(channels.size);
        }
    }

    // The mean over the channels of a position, the same in all of its threads: the sums of lanes
    // pairwise, those of warps one after the other.
    __device__ static float mean(float sum, sums const& of_warps, STATISTIC statistic) {
        sum = sum_lanes<lanes <= 32 ? lanes : 32>(sum);
        if constexpr (lanes > 32) {
            auto const at = of_warps[statistic];
            if (is_first_lane()) *at[this_warp()] = sum;
            sync_block();
            sum = 0;
#pragma unroll
            for (auto const warp : range(WARP(warps))) sum += *at[warp];
        }
        return sum / Problem.channels;
    }

    __device__ static values factors_at(factors_to_read const& from, Thread const& thread) {
        auto const here = factors(reinterpret_cast<float4 const*>(from.get()))[thread];
        values result;
#pragma unroll
        for (auto const v : range(Vector(Config.vectors))) {
            if (!has(thread, v)) continue;
#pragma unroll
            for (auto const part : range(C4(2))) {
                float4 const four = *here[v][part];
#pragma unroll
                for (int n = 0; n < 4; ++n) result[v][C(part).get() + n] = four[n];
            }
        }
        return result;
    }

    __device__ __forceinline__ static void run(params const& p) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes()>();
        auto const [copies, after_copies] = memory.template push<tile>();
        auto const [of_warps, rest] = after_copies.template push<sums>();

        auto const thread = Thread(this_thread());
        auto const here = Block(this_block()) + thread;
        auto const positions = p.y.extent<X>();
        auto const from = source(reinterpret_cast<half8 const*>(p.x.get()), positions)[here];
        auto const to = target(reinterpret_cast<half8*>(p.y.get()), positions)[here];
        auto const mine = copies[thread.offset()];

        auto const load = [&](Round round) {
            if (round < Round(Config.rounds)) {
#pragma unroll
                for (auto const v : range(Vector(Config.vectors))) {
                    copy_async(mine[round][v], from[round][v], from[round][v].inbounds());
                }
            }
            commit_copies();
        };
#pragma unroll
        for (auto const round : range(Round(Config.stages - 1))) load(round);

        values weight;
        values bias;
        if constexpr (Problem.affine) {
            weight = factors_at(p.weight, thread);
            bias = factors_at(p.bias, thread);
        }

#pragma unroll 1
        for (auto const round : range(Round(Config.rounds))) {
            load(round + Round(Config.stages - 1));
            wait_for_copies<Config.stages - 1>();

            values value;
            float sum = 0;
#pragma unroll
            for (auto const v : range(Vector(Config.vectors))) {
                half8 const eight = *mine[round][v];
#pragma unroll
                for (int n = 0; n < 4; ++n) {
                    value[v][2 * n] = eight[n].first();
                    value[v][2 * n + 1] = eight[n].second();
                    sum += value[v][2 * n];
                    sum += value[v][2 * n + 1];
                }
            }
            float const center = mean(sum, of_warps, mean_of_values);

            float squares = 0;
#pragma unroll
            for (auto const v : range(Vector(Config.vectors))) {
                if (!has(thread, v)) continue;
#pragma unroll
                for (float& each : value[v]) {
                    each -= center;
                    squares = multiply_add(each, each, squares);
                }
            }
            float const variance = mean(squares, of_warps, mean_of_squares);
            float const scale = 1 / square_root(variance + p.epsilon);

#pragma unroll
            for (auto const v : range(Vector(Config.vectors))) {
                half8 eight;
#pragma unroll
                for (int n = 0; n < 8; ++n) {
                    value[v][n] *= scale;
                    if constexpr (Problem.affine) {
                        value[v][n] = multiply_add(value[v][n], weight[v][n], bias[v][n]);
                    }
                }
#pragma unroll
                for (int n = 0; n < 4; ++n) {
                    eight[n] = half2(value[v][2 * n], value[v][2 * n + 1]);
                }
                if (auto const place = to[round][v]; place.inbounds()) *place = eight;
            }
        }
    }
};

// Inlined at any size: only then do the parameters stay where the launch put them.
template <problem Problem, config Config = best_config(Problem)>
__device__ __forceinline__ void run(params const& p) {
    layer<Problem, Config>::run(p);
}

} // namespace spio::layernorm_2d
