// The shapes of a block in LayerNorm, and the steps of a thread in a round.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a pixel of an image, with all its channels. In a round, a block normalizes
// Config.positions of them. X counts positions and C channels. axis<D>(n) is the dimension D with n
// values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a pointer with axes,
// outermost first. A subscript is a position along some of its axes, and returns a cursor: a place
// in the tensor, with an address. Problem (the sizes and options of a call) and Config (how blocks
// and warps share it) are known when a kernel is compiled. A ring is an axis around which positions
// wrap. A compound index is one number for several indices, the last of which varies fastest.
// type_is<T> has T as its member `type`.
#pragma once

#include "layernorm_2d/problem.h"
#include "spio/list.h"
#include "spio/tile/arithmetic.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/vector.h"
#include "spio/tile/warp.cuh"

namespace spio::layernorm_2d {

template <element_type Type> struct element_of : type_is<half> {};
template <> struct element_of<element_type::bf16> : type_is<bfloat16> {};
template <problem Problem> using element = typename element_of<Problem.type>::type;

using float4 = vec<float, 4>;
using C4 = fold<C, 4>;

// The two means that a position needs: of its values, and of the squares of what is left when the
// first mean is subtracted.
struct STATISTIC : dim {
    using dim::dim;
};
inline constexpr STATISTIC mean_of_values = STATISTIC(0);
inline constexpr STATISTIC mean_of_squares = STATISTIC(1);

// One float for each channel of a thread: the channel's value, weight or bias.
template <int Vectors> struct thread_channels {
    float floats[Vectors][8];

    template <index Vector> __device__ auto& operator[](Vector v) { return floats[v.get()]; }
    template <index Vector> __device__ auto const& operator[](Vector v) const {
        return floats[v.get()];
    }
};

template <problem Problem, config Config>
    requires(Problem.is_possible() && Config.fits(Problem))
struct block_layer {
    using T = element<Problem>;
    using cell = vec<pair<T>, 4>; // 8 channels of a position

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

    using source = tensor<cell const, axis<X>(dynamic), channels / 8>;
    using destination = tensor<cell, axis<X>(dynamic), channels / 8>;
    using factors = tensor<float4 const, channels / 4>;

    // The ring in shared memory: for each of the last Config.stages rounds, every thread's vectors.
    static constexpr axis<OFFSET> threads{Config.threads()};
    using tile = tensor<cell, staged_x.ring() / Config.positions, c / (8 * lanes), threads>;
    using sums = tensor<float, axis<STATISTIC>(2).pitch(Config.sums()), axis<WARP>(warps)>;

    using values = thread_channels<Config.vectors>;

    // Whether vector `v` of a thread holds channels of the position. The last vectors may lie
    // beyond them.
    __device__ static bool is_valid(Thread const& thread, Vector v) {
        if constexpr (c.size == channels.size) {
            return true;
        } else {
            return thread + v < C(channels.size);
        }
    }

    // The mean over the channels of a position, the same in all of its threads: lanes are summed
    // pairwise, and warps in order.
    __device__ static float mean(float sum, sums const& warp_sums, STATISTIC statistic) {
        sum = sum_lanes<lanes <= 32 ? lanes : 32>(sum);
        if constexpr (lanes > 32) {
            auto const slots = warp_sums[statistic];
            if (is_first_lane()) *slots[this_warp()] = sum;
            sync_block();
            sum = 0;
#pragma unroll
            for (auto const warp : range(WARP(warps))) sum += *slots[warp];
        }
        return sum / Problem.channels;
    }

    // The weight or the bias of a thread's channels.
    __device__ static values load_factors(factors_to_read const& all_factors,
                                          Thread const& thread) {
        auto const cursor = factors(reinterpret_cast<float4 const*>(all_factors.get()))[thread];
        values result;
#pragma unroll
        for (auto const v : range(Vector(Config.vectors))) {
            if (!is_valid(thread, v)) continue;
#pragma unroll
            for (auto const part : range(C4(2))) {
                float4 const four = *cursor[v][part];
#pragma unroll
                for (int n = 0; n < 4; ++n) result[v][C(part).get() + n] = four[n];
            }
        }
        return result;
    }

    // Reads a thread's vectors of a round, and returns the sum of their values.
    template <class Cursor>
    __device__ __forceinline__ static float read(values& value, Cursor const& vectors) {
        float sum = 0;
#pragma unroll
        for (auto const v : range(Vector(Config.vectors))) {
            cell const eight = *vectors[v];
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                value[v][2 * n] = eight[n].first();
                value[v][2 * n + 1] = eight[n].second();
                sum += value[v][2 * n];
                sum += value[v][2 * n + 1];
            }
        }
        return sum;
    }
    // Subtracts the mean, and returns the sum of the squares.
    __device__ __forceinline__ static float center(values& value, float mean_value,
                                                   Thread const& thread) {
        float squares = 0;
#pragma unroll
        for (auto const v : range(Vector(Config.vectors))) {
            if (!is_valid(thread, v)) continue;
#pragma unroll
            for (float& number : value[v]) {
                number -= mean_value;
                squares = multiply_add(number, number, squares);
            }
        }
        return squares;
    }
    // Scales the centered values, applies weight and bias, and writes the result to y.
    template <class Cursor>
    __device__ __forceinline__ static void store(values& value, float scale, values const& weight,
                                                 values const& bias, Cursor const& y) {
#pragma unroll
        for (auto const v : range(Vector(Config.vectors))) {
            cell eight;
#pragma unroll
            for (int n = 0; n < 8; ++n) {
                value[v][n] *= scale;
                if constexpr (Problem.affine) {
                    value[v][n] = multiply_add(value[v][n], weight[v][n], bias[v][n]);
                }
            }
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                eight[n] = pair<T>(value[v][2 * n], value[v][2 * n + 1]);
            }
            if (auto const place = y[v]; place.inbounds()) *place = eight;
        }
    }
};

} // namespace spio::layernorm_2d
