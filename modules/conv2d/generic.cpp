// Chooses configurations of generic kernels, which serve every layer with the same filter.
// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a generic kernel does not depend on the sizes of a problem: the launch
// passes what does. So there are few of them for a filter, and all can be compiled ahead of time. A
// group is 8 channels, a split a part of the sum over the images, and dy the gradient of the
// output. fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the
// filter.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <iterator>
#include <variant>
#include <vector>

module spio.conv2d;

import :estimator;
import spio.spec;

namespace spio::conv2d {

namespace {

// The shared memory of an SM that kernels by cp.async count on: that of the smallest chip from
// sm_80 on. One kernel then serves all of them.
constexpr int least_shared_bytes = 100 * 1024;

// The configurations by cp.async, for several images at a time and for one.
std::vector<config> correlations(problem const& problem) {
    bool const has_few_taps = problem.taps() <= few_taps;
    bool const has_medium_taps = !has_few_taps && problem.taps() <= medium_taps;
    bool const has_many_taps = !has_few_taps && !has_medium_taps;
    cp_async::config many_images = {.groups = has_few_taps ? 8 : 4,
                                    .images = has_medium_taps ? 4 : 2,
                                    .columns = 8,
                                    .rows = 8,
                                    .mma_tiles = has_medium_taps ? 2 : 1,
                                    .stages = 4,
                                    .blocks = has_many_taps ? 4 : 5,
                                    .unrolled = true};
    auto one_image = many_images;
    one_image.images = 1;
    one_image.columns = has_medium_taps ? 32 : 16;
    one_image.rows = has_many_taps ? 32 : 16;
    return {many_images, one_image};
}

// The configurations by TMA, for two small images at a time and for one image.
std::vector<config> tma_correlations(problem const& problem) {
    std::vector<config> configs;
    auto const add = [&](tma::config config) {
        config.blocks = blocks_of_sm(problem, config);
        configs.emplace_back(config);
    };
    bool const is_large = problem.taps() > 16; // of more than 4 x 4 taps
    tma::config two_images = {.groups = is_large ? 4 : 8,
                              .images = 2,
                              .columns = 8,
                              .rows = is_large ? 16 : 8,
                              .tiles_per_block = is_large ? 2 : 1,
                              .blocks = 0}; // add() sets it
    add(two_images);
    auto one_image = two_images;
    one_image.images = 1;
    one_image.columns = 16;
    one_image.tiles_per_block = 1;
    add(one_image);
    return configs;
}

// The strips of dy that generic kernels of wgrad take in a step. Large filters leave registers for
// fewer mma tiles.
std::vector<strip> strips_of(problem const& problem, bool has_tma) {
    if (problem.taps() <= medium_taps) return {{8, 8}, {4, 16}, {2, 32}, {1, 64}};
    if (has_tma) return {{2, 8}, {1, 16}};
    return {{4, 8}, {2, 16}, {1, 32}};
}

// The configurations of wgrad: for each width of a step, one whose splits fill the chip.
std::vector<config> gradients(problem const& problem, arch arch) {
    chip const& chip = chip_of(arch);
    std::vector<config> configs;
    for (auto const& [images, columns] : strips_of(problem, chip.has_tma)) {
        constexpr int groups = 8;
        int const slices = wgrad::slices(problem, groups);
        int const blocks = chip.has_tma || problem.taps() > few_taps ? 1 : 2;
        int const splits = split_count(problem, images, columns, slices, blocks * chip.sm_count);
        if (chip.has_tma) {
            wgrad_tma::config const config = {.groups = groups,
                                              .images = images,
                                              .columns = columns,
                                              .stages = 3,
                                              .splits = splits,
                                              .whole_images = false};
            configs.emplace_back(with_all_stages(problem, config, max_shared_bytes));
        } else {
            wgrad_cp_async::config config = {.groups = groups,
                                             .images = images,
                                             .columns = columns,
                                             .stages = 2,
                                             .splits = splits,
                                             .blocks = blocks};
            int const most_bytes = least_shared_bytes / blocks - reserved_shared_bytes;
            if (config.shared_bytes(problem) > most_bytes) {
                config.groups /= 2;
                config.splits =
                    split_count(problem, images, columns, wgrad::slices(problem, config.groups),
                                blocks * chip.sm_count);
            }
            int const stage_bytes = config.shared_bytes(problem) / config.stages;
            config.stages = std::clamp(most_bytes / stage_bytes, 2, most_cp_async_stages);
            if (config.shared_bytes(problem) <= most_bytes) configs.emplace_back(config);
        }
    }
    return configs;
}

} // namespace

bool has_generic(problem const& problem) {
    bool const is_plain = problem.stride_h == 1 && problem.stride_w == 1 &&
                          !problem.has_epilogue() && !problem.has_derivative();
    return is_plain && problem.c <= most_channels_of_any_layer;
}

problem generic_problem(problem const& problem) {
    auto generic = problem;
    generic.made_for = known_sizes::any_layer;
    generic.bias = problem.pass != direction::dgrad;
    return generic;
}

std::vector<config> generic_configs(problem const& problem, arch arch) {
    check(problem);
    auto const generic = generic_problem(problem);
    auto configs = generic.pass == direction::wgrad ? gradients(generic, arch)
                   : chip_of(arch).has_tma          ? tma_correlations(generic)
                                                    : correlations(generic);
    // The narrowest that has all columns of the output comes first, or else the widest.
    int const columns = correlation_of(generic).q;
    auto const width = [](auto const& body_config) { return body_config.columns; };
    auto const has_all = [&](config const& config) { return std::visit(width, config) >= columns; };
    auto const fitting = std::ranges::find_if(configs, has_all);
    auto const first = fitting == configs.end() ? std::prev(fitting) : fitting;
    std::rotate(configs.begin(), first, std::next(first));
    return configs;
}

} // namespace spio::conv2d
