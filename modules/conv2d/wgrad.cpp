// Chooses how blocks share a weight gradient.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

// Bounds found by measurements on an H200.
constexpr int few_taps = 9, medium_taps = 25, many_taps = 36; // 3 x 3, 5 x 5, 6 x 6
constexpr int cp_async_registers = 255, tma_registers = 168;  // of a thread
constexpr int small_image_rows = 16;                          // with those of the filter
constexpr int least_rows_of_split = 4;                        // for each row that is loaded twice
constexpr int most_cp_async_stages = 8;

// The output's columns that a block makes in a step: those of whole images if they are narrow, else
// strips that leave few idle.
struct step_columns {
    int images, columns;
};
step_columns columns_of_step(problem const& problem, int most_tiles) {
    int const q = problem.q();
    if (q <= 8) return {2 * std::clamp(divup(problem.n, 2), 1, most_tiles), 8};
    int const tiles = divup(q, 16);
    if (tiles <= most_tiles) return {std::clamp(most_tiles / tiles, 1, problem.n), 16 * tiles};
    int best = most_tiles;
    for (int count = most_tiles - 1; 2 * count > most_tiles; --count) {
        if (divup(tiles, count) * count < divup(tiles, best) * best) best = count;
    }
    return {1, 16 * best};
}

// Splits for so many blocks, none of which has too few rows.
int split_count(problem const& problem, step_columns const& step, int slices, int blocks) {
    long long const rows =
        1LL * divup(problem.n, step.images) * divup(problem.q(), step.columns) * problem.p();
    long long const most = rows / (1LL * least_rows_of_split * problem.r);
    return static_cast<int>(std::max(1LL, std::min<long long>(blocks / slices, most)));
}

// Whether two images are in memory while two are loaded, and all rows are unrolled.
bool takes_whole_images(problem const& problem) {
    return problem.knows_image() && problem.q() <= 8 &&
           problem.p() + problem.r <= small_image_rows &&
           wgrad_tma::config{8, 2, 8, 3, 1, true}.fits(problem);
}
int image_split_count(problem const& problem, step_columns const& step, int slices, int blocks) {
    return std::clamp(blocks / slices, 1, divup(problem.n, step.images));
}

// Each tile holds registers for the rows of y, beside its accumulators: so many tiles leave enough.
int tiles_of_warp(problem const& problem, int registers) {
    if (problem.taps() <= medium_taps) return 4;
    return problem.taps() <= many_taps || registers > tma_registers ? 2 : 1;
}

} // namespace

wgrad_cp_async::config best_wgrad_cp_async(problem const& problem, arch arch) {
    chip const& chip = chip_of(arch);
    auto const step = columns_of_step(problem, tiles_of_warp(problem, cp_async_registers));
    // Two blocks take turns at waiting, where a thread needs no more than 128 registers.
    int const blocks = problem.taps() > few_taps ? 1 : 2;
    int const most_bytes =
        std::min(chip.shared_bytes / blocks - reserved_shared_bytes, max_shared_bytes);
    wgrad_cp_async::config best = {.groups = std::min(problem.groups(), 8),
                                   .images = step.images,
                                   .columns = step.columns,
                                   .stages = 2,
                                   .splits = 1,
                                   .blocks = blocks};
    auto const stage_bytes = [&] { return best.shared_bytes(problem) / best.stages; };
    // Rows in flight count for more than whole cache lines.
    if (best.groups == 8 && 4 * stage_bytes() > most_bytes) best.groups = 4;
    best.splits =
        split_count(problem, step, wgrad::slices(problem, best.groups), blocks * chip.sm_count);
    best.stages = std::clamp(most_bytes / stage_bytes(), 2, most_cp_async_stages);
    return best;
}

wgrad_tma::config best_wgrad_tma(problem const& problem, arch arch) {
    chip const& chip = chip_of(arch);
    bool const whole_images = takes_whole_images(problem);
    auto const step = whole_images
                          ? step_columns{2, 8}
                          : columns_of_step(problem, tiles_of_warp(problem, tma_registers));
    int groups = 1;
    while (groups < 8 && groups < problem.groups()) groups *= 2;
    int const slices = wgrad::slices(problem, groups);
    int const splits = whole_images ? image_split_count(problem, step, slices, chip.sm_count)
                                    : split_count(problem, step, slices, chip.sm_count);
    wgrad_tma::config best = {.groups = groups,
                              .images = step.images,
                              .columns = step.columns,
                              .stages = 3,
                              .splits = splits,
                              .whole_images = whole_images};
    auto deeper = best;
    // Products of many taps are the slower, the further ahead the waiting rows are.
    int const most_stages = problem.taps() > few_taps ? 8 : 12;
    while (++deeper.stages <= most_stages && deeper.fits(problem)) best = deeper;
    return best;
}

} // namespace spio::conv2d
