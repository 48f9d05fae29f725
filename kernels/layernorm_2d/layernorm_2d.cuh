// LayerNorm over the channels of images.
// SPDX-License-Identifier: Apache-2.0
//
// A position X is a pixel with all its channels C; in a round, a block normalizes some of them. A
// fold counts a dimension in blocks. A tensor's subscript returns a cursor: a place in the tensor.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. push<T>() takes room for a tensor T from the block's shared memory,
// and returns it and the rest.
//
//     x   global --cp.async--> a ring of rounds in shared memory -> values in registers
//         values -> mean, then variance, by lane shuffles and sums of warps in shared memory
//     y   (value - mean) * scale * weight + bias -> global
//
// Each thread copies and normalizes its own vectors, so only the sums of warps need a barrier.
#pragma once

#include "layernorm_2d/layer.cuh"

namespace spio::layernorm_2d {

// Inlined at any size, so that the parameters stay in the constant bank.
template <problem Problem, config Config = best_config(Problem)>
__device__ __forceinline__ void run(params_of<element<Problem>> const& p) {
    using layer = block_layer<Problem, Config>;
    using Thread = typename layer::Thread;
    using Block = typename layer::Block;
    using Round = typename layer::Round;
    using Vector = typename layer::Vector;
    using cell = typename layer::cell;
    using values = typename layer::values;

    auto const memory = dynamic_shared_memory<Config.shared_bytes()>();
    auto const [ring, after_ring] = memory.template push<typename layer::tile>();
    auto const [warp_sums, rest] = after_ring.template push<typename layer::sums>();

    auto const thread = Thread(this_thread());
    auto const position = Block(this_block()) + thread;
    auto const positions = p.y.template extent<X>();
    auto const x =
        typename layer::source(reinterpret_cast<cell const*>(p.x.get()), positions)[position];
    auto const y =
        typename layer::destination(reinterpret_cast<cell*>(p.y.get()), positions)[position];
    auto const thread_vectors = ring[thread.offset()];

    // Commits a group of copies even after the last round.
    auto const load = [&](Round round) {
        if (round < Round(Config.rounds)) {
#pragma unroll
            for (auto const v : range(Vector(Config.vectors))) {
                copy_async(thread_vectors[round][v], x[round][v], x[round][v].inbounds());
            }
        }
        commit_copies();
    };
#pragma unroll
    for (auto const round : range(Round(Config.stages - 1))) load(round);

    values weight;
    values bias;
    if constexpr (Problem.affine) {
        weight = layer::load_factors(p.weight, thread);
        bias = layer::load_factors(p.bias, thread);
    }
#pragma unroll 1
    for (auto const round : range(Round(Config.rounds))) {
        load(round + Round(Config.stages - 1));
        wait_for_copies<Config.stages - 1>();
        values value;
        // Each of the two means has its own place among the sums of warps in shared memory, so that
        // one barrier a mean is enough.
        float const sum = layer::read(value, thread_vectors[round]);
        float const mean_value = layer::mean(sum, warp_sums, mean_of_values);
        float const squares = layer::center(value, mean_value, thread);
        float const variance = layer::mean(squares, warp_sums, mean_of_squares);
        layer::store(value, 1 / square_root(variance + p.epsilon), weight, bias, y[round]);
    }
}

namespace bf16 {
using layernorm_2d::run;
} // namespace bf16

} // namespace spio::layernorm_2d
