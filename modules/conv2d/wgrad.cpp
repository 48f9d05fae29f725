// Chooses how blocks share a weight gradient.
// SPDX-License-Identifier: Apache-2.0
//
// The gradient of the filter (wgrad) sums products of rows of the input x and of dy, the gradient
// of the output, over all images. A tap is an element of the filter's window; channels are taken in
// groups of 8. A configuration is how blocks and warps share the sums. A chip is the figures of a
// GPU that estimates use. has_static_image() says whether the height and width, has_static_layer()
// whether the channels and the padding are known when a kernel is compiled. A checked_size is a
// number that becomes too large, and stays so, where an int would overflow.
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <optional>
#include <variant>

module spio.conv2d;

import :estimator;
import spio.spec;

namespace spio::conv2d {

namespace {

// The most mma tiles per warp.
constexpr int most_mma_tiles = 4;
// An image counts as small up to this sum of output rows and filter rows. Measured on an H200.
constexpr int small_image_rows = 16;
// The fewest output rows of a split, per row of the filter: the rows where two splits meet are
// loaded twice. Measured on an H200.
constexpr int least_rows_of_split = 4;

// The strip that a block computes in one step. If images have few columns, a step takes all columns
// of one or more images; otherwise a part of the columns of one image, of a width that leaves few
// columns idle. A strip consists of mma tiles of 16 columns.
strip strip_of_step(problem const& problem, int most_mma_tiles) {
    int const q = problem.q();
    if (q <= 8) return {2 * std::clamp(divup(problem.n, 2), 1, most_mma_tiles), 8};
    int const mma_tiles = divup(q, 16);
    if (mma_tiles <= most_mma_tiles) {
        return {std::clamp(most_mma_tiles / mma_tiles, 1, problem.n), 16 * mma_tiles};
    }
    int best = most_mma_tiles;
    for (int count = most_mma_tiles - 1; 2 * count > most_mma_tiles; --count) {
        if (divup(mma_tiles, count) * count < divup(mma_tiles, best) * best) best = count;
    }
    return {1, 16 * best};
}

// Whether each step of a block takes all rows and columns of two images, with all rows unrolled. A
// ring of three such stages must fit into shared memory.
bool takes_whole_images(problem const& problem) {
    return problem.has_static_image() && problem.q() <= 8 &&
           problem.p() <= small_image_rows - problem.r &&
           wgrad_tma::config{.groups = 8,
                             .images = 2,
                             .columns = 8,
                             .stages = 3,
                             .splits = 1,
                             .whole_images = true}
               .fits(problem);
}
// The number of splits for `blocks` blocks in all, where each split has whole images.
int image_split_count(problem const& problem, strip const& step, int slices, int blocks) {
    return std::clamp(blocks / slices, 1, divup(problem.n, step.images));
}

} // namespace

// The rows of the sum over images are cut into splits, and the groups of channels into slices: a
// block computes one slice over one split. There are fewer blocks if a split had too few rows.
int split_count(problem const& problem, int images, int columns, int slices, int blocks) {
    long long const rows =
        (checked_size(divup(problem.n, images)) * divup(problem.q(), columns) * problem.p()).value;
    long long const most = rows / (1LL * least_rows_of_split * problem.r);
    return static_cast<int>(std::max(1LL, std::min<long long>(blocks / slices, most)));
}

// The groups of a block: 8, whose channels fill a cache line, or 9 if that takes an eighth fewer
// warps and leaves blocks for nearly all SMs. 13 were slower than 4 for 12 groups.
static int groups_of_slice(problem const& problem, strip const& step, int sms) {
    auto const computed = [&](int groups) { return 1LL * wgrad::slices(problem, groups) * groups; };
    int const slices = wgrad::slices(problem, /*groups=*/9);
    long long const blocks =
        1LL * slices * split_count(problem, step.images, step.columns, slices, sms);
    return 8 * computed(9) <= 7 * computed(8) && 10 * blocks >= 9 * sms ? 9 : 8;
}

wgrad_cp_async::config best_wgrad_cp_async(problem const& problem, arch arch) {
    check(problem);
    chip const& chip = chip_of(arch);
    // Each mma tile needs registers for its rows of dy besides the accumulators, so a larger filter
    // leaves room for fewer.
    auto const step =
        strip_of_step(problem, problem.taps() > medium_taps ? most_mma_tiles / 2 : most_mma_tiles);
    // Two blocks per SM hide the time that one of them waits, if a thread needs at most 128
    // registers.
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
    // More rows in flight gain more than reading whole cache lines.
    if (best.groups == 8 && 4 * stage_bytes() > most_bytes) best.groups = 4;
    best.splits = split_count(problem, step.images, step.columns,
                              wgrad::slices(problem, best.groups), blocks * chip.sm_count);
    best.stages = std::clamp(most_bytes / stage_bytes(), 2, most_cp_async_stages);
    return best;
}

// The most stages of a ring of rows of wgrad by TMA. With many taps the time is that of the
// products, and more than 8 stages made it longer. Measured on an H200.
static int most_stages_of_rows(problem const& problem) {
    return problem.taps() > few_taps ? 8 : 12;
}

int stages_in(problem const& problem, wgrad_tma::config const& config, int most_bytes) {
    auto const cells = checked_size(config.input_cells(problem)) + config.dy_cells(problem);
    return (most_bytes / ((cells + 1) * 16)).as_int();
}

wgrad_tma::config with_all_stages(problem const& problem, wgrad_tma::config best, int most_bytes) {
    auto const has_room = [&](wgrad_tma::config const& config) {
        return config.shared_bytes(problem) <= most_bytes && config.fits(problem);
    };
    int const most = std::min(most_stages_of_rows(problem), stages_in(problem, best, most_bytes));
    int const least = best.stages;
    for (best.stages = std::max(least, most); best.stages > least && !has_room(best);) {
        --best.stages;
    }
    return best;
}

wgrad_tma::config best_wgrad_tma(problem const& problem, arch arch) {
    check(problem);
    chip const& chip = chip_of(arch);
    bool const whole_images = takes_whole_images(problem);
    auto const step = whole_images ? strip{2, 8} : strip_of_step(problem, most_mma_tiles);
    // The accumulators of large filters take so many registers that a block has fewer warps.
    int const most_groups = problem.taps() > medium_taps && !whole_images ? 4 : 8;
    int groups = 1;
    while (groups < most_groups && groups < problem.groups()) groups *= 2;
    if (groups == 8 && !whole_images && problem.has_static_layer()) {
        groups = groups_of_slice(problem, step, chip.sm_count);
    }
    int const slices = wgrad::slices(problem, groups);
    int const splits = whole_images
                           ? image_split_count(problem, step, slices, chip.sm_count)
                           : split_count(problem, step.images, step.columns, slices, chip.sm_count);
    wgrad_tma::config best = {.groups = groups,
                              .images = step.images,
                              .columns = step.columns,
                              .stages = 3,
                              .splits = splits,
                              .whole_images = whole_images};
    return with_all_stages(problem, best, max_shared_bytes);
}

// A block with all channels and columns, which copies whole rows of so many images. More than eight
// warps, or several mma tiles, leave too few registers for many taps.
std::optional<wgrad_tma::config> with_whole_rows(problem const& problem, int images) {
    constexpr int few_groups = 7; // with the producer, eight warps
    bool const has_few_warps = problem.groups() <= few_groups;
    int const most_tiles = problem.taps() <= few_taps ? most_mma_tiles : most_mma_tiles / 2;
    wgrad_tma::config row_config = {.groups = problem.groups(),
                                    .images = images,
                                    .columns = (checked_size(divup(problem.q(), 16)) * 16).as_int(),
                                    .stages = 3,
                                    .splits = 1,
                                    .whole_images = false};
    bool const is_other = problem.q() <= 8 || problem.groups() > most_groups_of_tile;
    bool const has_many_taps = problem.taps() > medium_taps && !has_few_warps;
    if (is_other || has_many_taps || !row_config.fits(problem) ||
        !row_config.copies_rows(problem)) {
        return {};
    }
    if (row_config.mma_tiles() > most_tiles * (has_few_warps ? 2 : 1)) return {};
    return with_all_stages(problem, row_config, max_shared_bytes);
}

// Two warps of a group, with half of the taps each. Eight groups fill the schedulers of an SM, and
// leave too few registers for twice the warps. With more than two mma tiles of 7 x 7 taps, warps
// get registers of the producer's, but take 1.10 to 1.33 of the time of one in four layers on an
// H200.
std::optional<wgrad_tma::config> with_two_parts(problem const& problem,
                                                wgrad_tma::config const& config) {
    constexpr int most_groups = 4, most_mma_tiles_of_large_filter = 2;
    if (!problem.has_static_layer() || config.groups > most_groups) return {};
    auto divided = config;
    divided.parts = 2;
    bool const is_fast =
        problem.taps() <= medium_taps || config.mma_tiles() <= most_mma_tiles_of_large_filter;
    return is_fast && divided.fits(problem) ? std::optional(divided) : std::nullopt;
}

// A scheduler of an SM has at most one warp where the only block there has at most four groups. It
// then waits for each product and each load; two warps wait less. On an H200 they take 0.89 to 1.02
// of the time where one kernel computes the gradients, 0.97 in the mean; with two kernels 0.76
// to 0.78 for 5 x 5 taps, but up to 1.6 for 3 x 3 taps.
config with_parts(problem const& problem, config const& chosen, arch arch) {
    auto const* const original = std::get_if<wgrad_tma::config>(&chosen);
    if (original == nullptr || original->blocks_of(problem) > chip_of(arch).sm_count) {
        return chosen;
    }
    bool const has_strides = problem.stride_h > 1 || problem.stride_w > 1;
    bool const has_long_steps =
        problem.taps() > few_taps && !has_strides && !original->whole_images;
    if (!original->is_one_kernel(problem) && !has_long_steps) return chosen;
    auto const divided = with_two_parts(problem, *original);
    return divided ? config(*divided) : chosen;
}

// Eight groups of a large filter, whose warps have more registers, instead of four. Two mma tiles
// are as fast as four where a step has several images, and need fewer registers.
std::optional<wgrad_tma::config>
with_eight_groups(problem const& problem, wgrad_tma::config const& config_of_four, arch arch) {
    constexpr int most_taps = 49; // measured
    bool const is_large = problem.taps() > medium_taps && problem.taps() <= most_taps;
    if (!is_large || !problem.is_dense() || problem.bias || problem.groups() % 8 != 0 ||
        !problem.has_static_image() || config_of_four.groups != 4 || config_of_four.parts != 1 ||
        config_of_four.whole_images || config_of_four.is_one_kernel(problem)) {
        return {};
    }
    auto config_of_eight = config_of_four;
    config_of_eight.groups = 8;
    if (config_of_four.images % 2 == 0) config_of_eight.images /= 2;
    // As many blocks as with four groups.
    int const slices = wgrad::slices(problem, config_of_eight.groups);
    int const splits = split_count(problem, config_of_eight.images, config_of_eight.columns, slices,
                                   chip_of(arch).sm_count);
    config_of_eight.splits =
        std::max(splits, static_cast<int>(config_of_four.blocks_of(problem) / slices));
    config_of_eight.stages = 3;
    if (config_of_eight.mma_tiles() < 2 || !config_of_eight.fits(problem)) return {};
    return with_all_stages(problem, config_of_eight, max_shared_bytes);
}

// Eight groups where a model does not choose. Where two warps are on a scheduler they wait less: on
// an H200 five layers with 7 x 7 taps take 0.79 to 0.89 of the time of four groups; with twelve
// groups, where four warps are idle, others take 1.02 to 1.10.
static config with_known_groups(problem const& problem, wgrad_tma::config const& config_of_four,
                                arch arch) {
    auto const config_of_eight = with_eight_groups(problem, config_of_four, arch);
    bool const is_busy = config_of_eight && 10 * config_of_eight->blocks_of(problem) >=
                                                9 * config_of_four.blocks_of(problem);
    return is_busy ? *config_of_eight : config_of_four;
}

config with_parts_and_groups(problem const& problem, config const& chosen, arch arch) {
    auto const parted = with_parts(problem, chosen, arch);
    auto const* const config_of_four = std::get_if<wgrad_tma::config>(&parted);
    return config_of_four == nullptr ? parted : with_known_groups(problem, *config_of_four, arch);
}

} // namespace spio::conv2d
