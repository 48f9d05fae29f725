// LayerNorm over the channels of images: its dimensions, configurations and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// LayerNorm brings the channels of each position to mean 0 and variance 1. A configuration is how
// blocks and threads share the work; several of them fit a problem, and the fastest is chosen. A
// checked_size is a number that becomes too large, and stays so, where an int would overflow.
#pragma once

#include "spio/checked_size.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"

namespace spio::layernorm_2d {

// X: the positions of all images, n * h * w pixels. C: the channels of a position.
struct X : dim {
    using dim::dim;
};
struct C : dim {
    using dim::dim;
};

// The type of the elements of x and y.
enum class element_type { fp16, bf16 };

// What a kernel is compiled for: the number of channels, whether there are a weight and a bias
// (affine), and the type of elements.
struct problem {
    int channels;
    bool affine = true;
    element_type type = element_type::fp16;

    constexpr bool is_possible() const {
        return channels > 0 && channels <= 2048 && channels % 8 == 0;
    }
    constexpr int vectors() const { return channels / 8; }
};

// Several lanes of a warp, or several warps, share a position. In a round, a block normalizes
// `positions` positions. Each thread copies its own vectors of 8 channels, some rounds ahead of the
// round that it normalizes.
struct config {
    int lanes;     // that share a position
    int vectors;   // per lane
    int positions; // that a block normalizes per round
    int stages;    // rounds in shared memory: the last is read, the others are in flight
    int rounds;    // per block

    constexpr int threads() const { return (checked_size(lanes) * positions).as_int(); }
    constexpr int warps() const { return threads() / 32; }
    constexpr int blocks(int position_count) const {
        return divup(checked_size(position_count), checked_size(positions) * rounds).as_int();
    }
    // The floats that hold one sum of each warp, rounded up because they are read by vectors of 4.
    constexpr int sums() const { return divup(warps(), 4) * 4; }
    constexpr int shared_bytes() const {
        return (checked_size(threads()) * vectors * stages * 16 + checked_size(sums()) * 8)
            .as_int();
    }

    // Whether a kernel of this configuration can compute the problem. A warp has whole positions,
    // or a block has one.
    constexpr bool fits(problem const& p) const {
        bool const is_even =
            lanes <= 32 ? is_power_of_two(lanes) : lanes % 32 == 0 && positions == 1;
        return is_even && threads() % 32 == 0 && threads() <= 1024 && stages > 0 && rounds > 0 &&
               vectors > 0 && (checked_size(lanes) * vectors).value >= p.vectors();
    }
};

// The fastest configuration for a number of channels on an H200. Neighbouring lanes must read whole
// sectors of 32 bytes. Among such numbers of lanes, `cost` prefers few idle lanes, then two vectors
// a thread (one where a position has few), then a power of two. A position with more vectors than
// `most_vectors` a lane gets more lanes. Ties go to fewer lanes, which exchange less. With more
// than two rounds the last blocks would run alone for longer.
constexpr config best_config(problem const& p) {
    int const vectors = p.vectors();
    int const wanted_vectors = vectors <= 16 && is_power_of_two(vectors) ? 1 : 2;
    config best = {};
    int least = 0x7fffffff;
    for (int lanes = 1; lanes <= 256; lanes += lanes < 32 ? lanes : 32) {
        int const lane_vectors = divup(vectors, lanes);
        int const most_vectors = lanes < 32 ? 3 : 5;
        // A vector has 16 bytes, half a sector.
        bool const reads_sectors = vectors == 1 || lanes >= 4 || (lanes == 2 && vectors % 2 == 0);
        int const cost = 8 * (lanes * lane_vectors - vectors) +
                         (lane_vectors > wanted_vectors ? lane_vectors - wanted_vectors
                                                        : wanted_vectors - lane_vectors) +
                         (is_power_of_two(lanes) ? 0 : 2);
        if (lane_vectors > most_vectors || !reads_sectors || cost >= least) continue;
        least = cost;
        best = {.lanes = lanes,
                .vectors = lane_vectors,
                .positions = lanes > 32 ? 1 : 128 / lanes,
                .stages = 2,
                .rounds = 2};
    }
    return best;
}

// Tensors as a launch passes them: the channels of a position are contiguous.
inline constexpr auto all_x = axis<X>(dynamic);
inline constexpr auto all_c = axis<C>(dynamic);
template <class T> using images_of = tensor<T, all_x, all_c>;
using images = images_of<half>;
using images_to_read = images_of<half const>;
using factors_to_read = tensor<float const, all_c>;

// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, over the channels of each position.
// Each tensor begins at a multiple of 16 bytes. Without affine there is neither weight nor bias.
// T is the type of the problem's elements.
template <class T> struct params_of {
    images_of<T const> x;
    images_of<T> y;
    factors_to_read weight{};
    factors_to_read bias{};
    float epsilon = 1e-5F;
};
using params = params_of<half>;
// A kernel's text names its parameters by a namespace.
namespace bf16 {
using params = params_of<bfloat16>;
} // namespace bf16

} // namespace spio::layernorm_2d
