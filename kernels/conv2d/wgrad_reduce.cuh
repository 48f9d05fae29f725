// The second kernel of wgrad: it sums the gradients of filter and bias over the splits.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient dw of the filter. Its first kernel cuts the rows of all images into splits,
// and leaves a partial sum for each. axis<D>(n) is the dimension D with n values; fold<D, n>, or
// axis / n, counts it in blocks of n. A tensor is a pointer with axes, outermost first. A subscript
// is a position along some of its axes, and returns a cursor: a place in the tensor, with an
// address. Problem (the sizes and options of a call) and Config (how blocks and warps share it) are
// known when a kernel is compiled. A compound index is one number for several indices, the last of
// which varies fastest. A slice is the channels of some groups, which a block takes. A PAIR is two
// taps, whose gradients one mma computes. push<T>() takes room for a tensor T from the block's
// shared memory, and returns it and the rest.
//
//     workspace  global -> four floats of an element, summed over some of the splits per reader
//     readers    shared -> the first reader adds the others' sums in order -> global dw and dbias
//
// An element is the part of one accumulator of wgrad that one lane holds: four floats. Several
// threads, the readers, share an element. A block barrier separates their writes to shared memory
// from the first reader's additions.
#pragma once

#include "conv2d/wgrad_gradient.cuh"
#include "conv2d/wgrad_reduce.h"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::wgrad_reduce {

using namespace wgrad;
// fprop and dgrad have an accumulator in the enclosing namespace: this selects that of wgrad where
// the headers of both are included.
using wgrad::accumulator;

// READER: the threads that share an element. ELEMENT: the elements of a block.
struct READER : dim {
    using dim::dim;
};
struct ELEMENT : dim {
    using dim::dim;
};

// The four floats of an element.
using float4 = vec<float, 4>;
constexpr void add(float4& sum, float4 value) {
    for (int n = 0; n < float4::size(); ++n) sum[n] += value[n];
}

template <problem Problem, config Config, arch Arch>
    requires(Config.fits(Problem))
struct block {
    static constexpr bool has_static_layer = Problem.has_static_layer();
    static constexpr axis<SPLIT> split{max(Config.splits, 1)};
    static constexpr axis<K> k{has_static_layer ? 8 * Config.groups : most_channels(Problem)};
    static constexpr axis<K> stored_k = static_or_dynamic<K>(has_static_layer, k.size);
    // Pairs of taps, as wgrad.h defines them: an accumulator sums the gradients of one pair.
    static constexpr axis<PAIR> pair{pairs_of(Problem).count()};
    static constexpr axis<LANE> lane{32};
    using workspace = tensor<float4 const, split, stored_k / 8, pair, lane>;
    using Element = compound_index<k / 8, pair, lane>;

    static constexpr axis<READER> reader{Config.readers};
    static constexpr axis<ELEMENT> element{Config.elements_of_block()};
    using Thread = compound_index<reader, element>;
    using reader_sums = tensor<float4, reader, element>;

    // The greatest number of splits that one reader sums; one where the launch passes the splits.
    static constexpr int rounds = divup(split.size, Config.readers);

    __device__ static workspace workspace_of(params const& p) {
        if constexpr (has_static_layer) {
            return workspace(p.workspace);
        } else {
            return workspace(p.workspace, K(8 * p.groups));
        }
    }
    // The elements of a launch.
    __device__ static OFFSET element_count(params const& p) {
        constexpr int elements_of_group = pair.size * lane.size;
        return OFFSET(has_static_layer ? Element::size() : p.groups * elements_of_group);
    }

    // The sum of an element over the splits reader, reader + readers, reader + 2 * readers, ….
    __device__ static float4 partial_sum(params const& p, Element const& element, READER reader) {
        auto const splits = workspace_of(p)[element];
        float4 sum = {};
        if constexpr (!has_static_layer) {
#pragma unroll 4
            for (int next = reader.get(); next < p.splits; next += Config.readers) {
                add(sum, *splits[SPLIT(next)]);
            }
        } else {
#pragma unroll
            for (int round = 0; round < rounds; ++round) {
                SPLIT const next(reader.get() + round * Config.readers);
                if (next < SPLIT(Config.splits)) add(sum, *splits[next]);
            }
        }
        return sum;
    }

    // Writes the sums of an element to the gradients of filter and bias.
    __device__ static void store(params const& p, Element const& element, float4 const& sum) {
        store_gradient<Problem>(p, element.template get<fold<K, 8>>(),
                                element.template get<PAIR>().get(), element.template get<LANE>(),
                                sum);
    }

    __device__ __forceinline__ static void run(params const& p) {
        Thread const thread(this_thread());
        auto const number_in_block = thread.template get<ELEMENT>();
        auto const reader = thread.template get<READER>();
        // In the last block, an element's index may lie beyond the workspace.
        Element const index(this_block() * element.size + number_in_block.get());
        bool const is_valid = index.offset() < element_count(p);

        if constexpr (Config.overlaps) {
            wait_for_kernels_before<Arch>();
            let_kernels_after_start<Arch>(); // not earlier, as in tma.cuh
        }
        float4 sum = {};
        if (is_valid) sum = partial_sum(p, index, READER(reader.get()));
        if constexpr (Config.readers > 1) {
            auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
            auto const [sums, rest] = memory.template push<reader_sums>();
            *sums[thread] = sum;
            sync_block();
            if (reader != READER(0)) return;
#pragma unroll
            for (int other = 1; other < Config.readers; ++other) {
                add(sum, *sums[number_in_block][READER(other)]);
            }
        }
        // The workspace has room for whole slices of groups. Groups beyond the last one of the
        // problem have no gradient to store.
        if (is_valid && index.template get<fold<K, 8>>() < fold<K, 8>(groups_of<Problem>(p.c))) {
            store(p, index, sum);
        }
    }
};

template <problem Problem, config Config, arch Arch = sm_90a>
__device__ __forceinline__ void run(params const& p) {
    block<Problem, Config, Arch>::run(p);
}

} // namespace spio::conv2d::wgrad_reduce
