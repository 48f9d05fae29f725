// Specializes weight gradients, and picks how blocks share them.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <string>
#include <string_view>

module spio.conv2d;

import spio.spec;
import :chip;

namespace spio::conv2d {

namespace {

// The columns of a step: whole images if they are narrow, else strips that leave few idle.
struct columns_of_step {
    int images, columns;
};
columns_of_step columns_of(problem const& of, int most_tiles) {
    int const q = of.q();
    if (q <= 8) return {2 * std::clamp(divup(of.n, 2), 1, most_tiles), 8};
    int const tiles = divup(q, 16);
    if (tiles <= most_tiles) return {std::clamp(most_tiles / tiles, 1, of.n), 16 * tiles};
    int best = most_tiles;
    for (int each = most_tiles - 1; 2 * each > most_tiles; --each) {
        if (divup(tiles, each) * each < divup(tiles, best) * best) best = each;
    }
    return {1, 16 * best};
}

// Parts for so many blocks at a time: no more than have some rows for each that is read twice.
int splits_of(problem const& of, columns_of_step const& step, int slices, int blocks) {
    long long const rows = 1LL * divup(of.n, step.images) * divup(of.q(), step.columns) * of.p();
    long long const worth_it = rows / (4LL * of.r);
    return static_cast<int>(std::max(1LL, std::min<long long>(blocks / slices, worth_it)));
}

// Images of which two are in memory while two are read, of few rows: each has its own text.
bool comes_whole(problem const& of) {
    return of.knows_image() && of.q() <= 8 && of.p() + of.r <= 16 &&
           wgrad_tma::config{8, 2, 8, 3, 1, true}.fits(of);
}
int splits_of_whole_images(problem const& of, columns_of_step const& step, int slices, int blocks) {
    return std::clamp(blocks / slices, 1, divup(of.n, step.images));
}

// Each tile holds registers for the rows of y, beside those of the sums. So many leave enough.
int tiles_of_warp(problem const& of, int registers) {
    if (of.taps() <= 25) return 4;
    return of.taps() <= 36 || registers > 168 ? 2 : 1;
}

template <class Params, class Config>
gradient_specs<Params> specialized_gradient(problem const& of, Config const& by,
                                            std::string_view body, int blocks, arch arch) {
    bool const overlaps = needs_maps(by);
    check(of);
    spio::check("conv2d", by);
    std::string const words = std::string(body) + " " + text_of(by);
    if (!by.fits(of)) {
        throw error(error_kind::invalid, "specialize", "conv2d " + text_of(of),
                    "the configuration " + words + " does not fit");
    }
    expect_chip(of, arch, overlaps, by.shared_bytes(of));
    auto const sum = wgrad_reduce::config_for(of, by.groups, by.splits, overlaps);
    auto const of_blocks = grid_of(of, by.blocks_of(of));
    auto const of_sum = grid_of(of, sum.blocks_of(of));
    auto const named = [&](std::string const& name, auto const& config, std::string_view in,
                           int at_once) {
        return specialization{
            .family = "conv2d",
            .prefix = "conv2d_" + name + "_" + name_of(of),
            .problem = text_of(of),
            .config = std::string(in) + " " + text_of(config),
            .arch = arch,
            .arguments = "spio::conv2d::problem" + initializer_of(of.without_unknown()) +
                         ", spio::conv2d::" + std::string(in) + "::config" + initializer_of(config),
            .shape = {.block = {config.threads(of)},
                      .shared_bytes = config.shared_bytes(of),
                      .overlaps_previous = overlaps},
            .headers = kernel_text(),
            .body = in,
            .blocks = at_once};
    };
    return {
        specialized<Params>(named("wgrad", by, body, blocks),
                            [of_blocks](Params const&) { return of_blocks; }),
        specialized<wgrad_reduce::params>(named("wgrad_reduce", sum, "wgrad_reduce", 0),
                                          [of_sum](wgrad_reduce::params const&) { return of_sum; }),
        by.workspace_bytes(of)};
}

} // namespace

gradient_specs<wgrad_cp_async::params>
specialize_gradient(problem const& of, wgrad_cp_async::config const& by, arch arch) {
    return specialized_gradient<wgrad_cp_async::params>(of, by, "wgrad_cp_async", by.blocks, arch);
}
gradient_specs<wgrad_tma::params> specialize_gradient(problem const& of,
                                                      wgrad_tma::config const& by, arch arch) {
    return specialized_gradient<wgrad_tma::params>(of, by, "wgrad_tma", 1, arch);
}

wgrad_cp_async::config best_wgrad_cp_async(problem const& of, arch arch) {
    chip const on = chip_of(arch);
    auto const step = columns_of(of, tiles_of_warp(of, 255));
    // Two blocks take turns at waiting, where a thread needs no more than 128 registers.
    int const blocks = of.taps() > 9 ? 1 : 2;
    int const most = std::min(on.shared_bytes / blocks - 1024, 227 * 1024);
    wgrad_cp_async::config best = {.groups = std::min(of.groups(), 8),
                                   .images = step.images,
                                   .columns = step.columns,
                                   .stages = 2,
                                   .splits = 1,
                                   .blocks = blocks};
    auto const bytes_of_stage = [&] { return best.shared_bytes(of) / best.stages; };
    // Rows that are on their way count for more than whole cache lines.
    if (best.groups == 8 && 4 * bytes_of_stage() > most) best.groups = 4;
    best.splits = splits_of(of, step, wgrad::slices(of, best.groups), blocks * on.processors);
    best.stages = std::clamp(most / bytes_of_stage(), 2, 8);
    return best;
}

wgrad_tma::config best_wgrad_tma(problem const& of, arch arch) {
    chip const on = chip_of(arch);
    bool const whole = comes_whole(of);
    auto const step = whole ? columns_of_step{2, 8} : columns_of(of, tiles_of_warp(of, 168));
    int groups = 1;
    while (groups < 8 && groups < of.groups()) groups *= 2;
    int const slices = wgrad::slices(of, groups);
    wgrad_tma::config best = {.groups = groups,
                              .images = step.images,
                              .columns = step.columns,
                              .stages = 3,
                              .splits =
                                  whole ? splits_of_whole_images(of, step, slices, on.processors)
                                        : splits_of(of, step, slices, on.processors),
                              .whole_images = whole};
    auto more = best;
    // Products of many taps are the slower, the further ahead the rows are that wait.
    while (++more.stages <= (of.taps() > 9 ? 8 : 12) && more.fits(of)) best = more;
    return best;
}

} // namespace spio::conv2d
