// Constants of the estimate of a convolution's time, and the costs of chips.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. The bodies
// tma and cp_async are kernel templates, named after how they copy. A product is an mma instruction
// of 16 x 8 x 16; a tap is an element of the filter's window. A warp's step takes one row of x for
// some tiles of 16 columns.
module;

#include <algorithm>
#include <iterator>
#include <string_view>

module spio.conv2d:fitted;

import spio.spec;

namespace spio::conv2d {

// Constants fitted to times on an H200 (bench/results/conv2d_goals_sm90a-2026-11-21.json). The
// estimates of these times are off by 11 % on average; those of weight gradients of few images are
// up to 2.4 times the measured time.
struct fitted_constants {
    double overlap_sharpness = 5;            // exponent of the norm that combines overlapping times
    double half_line_traffic = 1.09;         // factor of traffic if blocks read half cache lines
    double lone_tap_products = 0.75;         // cost of a tap without a partner, in products of two
    double idle_wave_share = 0.6;            // share of the idle SMs of the last wave that counts
    double lone_block_share = 0.31;          // share of the time that an SM with one block waits
    double second_kernel_microseconds = 1.5; // short, as it begins while the first one ends

    // Cycles of a warp for all but the matrix products, per step or per tile.
    double cp_async_step_cycles = 8;
    double cp_async_unrolled_tile_cycles = 39, cp_async_looped_tile_cycles = 60;
    double tma_tile_cycles = 10;
    double wgrad_cp_async_tile_cycles = 120, wgrad_tma_tile_cycles = 50;
    double tma_pixel_cycles = 3;        // cycles of the TMA engine per pixel of a box
    double tma_wide_pixel_cycles = 1.8; // of all of two groups and more than 48 columns
    double tma_latencies = 2;           // memory latencies of a block, which loads and stores once
};
inline constexpr fitted_constants fitted;

// Microseconds of wgrad whose clusters add the sums, fitted to 90 kernels of 25 layers on an H200.
struct cluster_constants {
    double launch = 2.25;
    // Of a step: its own, and those of its pairs of taps and of their products with a tile.
    double step = 0.05, pair = 0.012, product = 0.0015;
    double pixel = 0.0007;     // of a TMA box
    double image_row = 0.0037; // of a pair of taps, of whole images, whose steps are unrolled
    // A factor for the steps of neighbouring rows of dy, where there are fewer than meet one row of
    // x (live_outputs).
    double short_span = 1.7;
    double crowd = 1.6; // a factor for eight groups, of which each scheduler has two warps
};
inline constexpr cluster_constants fitted_cluster;

// The cost of matrix products and of rows on a chip.
struct chip_costs {
    std::string_view chip;
    double product_cycles; // of one 16 x 8 x 16 product on a quarter of an SM
    // Latency of an input row: microseconds per product and per other cycle of a warp's step.
    double row_microseconds_per_product;
};
inline constexpr chip_costs costs[] = {
    {"H200", 6.2, 0.0077}, // fitted with the constants above
    {"A100", 8.5, 0.009},  // this line and those below follow data sheets
    {"RTX 3090", 32, 0.008},
    {"RTX 4090", 32, 0.006},
};
inline chip_costs const& costs_of(chip const& chip) {
    auto const* const found = std::ranges::find(costs, chip.name, &chip_costs::chip);
    return found == std::end(costs) ? costs[0] : *found;
}

} // namespace spio::conv2d
