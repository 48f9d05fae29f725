// Lists the configurations among which a learned model chooses.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input; both are correlations. wgrad
// computes the gradient of the filter. A body is one of two kernel templates, tma and cp_async,
// named after how they copy. Convolutions are grouped: channels fall into groups of 8, of which
// each has its own filter. A block computes some of these groups (the field `groups`), and of them
// tiles, which are some rows and columns of some images. has_static_image() says whether the height
// and width are known when a kernel is compiled.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

module spio.conv2d;

import :estimate_parts;
import :estimator;
import :few;
import spio.spec;

namespace spio::conv2d {

namespace {

// Output rows of a tile. Where the image is known they divide it evenly: the last tile has as many
// as the others, or a few fewer.
numbers row_counts(problem const& problem, int rows) {
    numbers counts;
    if (!problem.has_static_image()) {
        for (int const count : {2, 4, 7, 8, 14, 16, 32}) counts.add(count);
        return counts;
    }
    for (int const count : {2, 4, 8, 16, 32}) counts.add(divup(rows, divup(rows, count)));
    return counts;
}

// The largest divisor of a number that is at most `most`.
int largest_divisor(int number, int most) {
    int divisor = std::min(number, most);
    while (number % divisor != 0) --divisor;
    return divisor;
}

// Whether cp_async is not chosen for a small layer, of so many bytes in all tensors. A kernel by
// cp_async starts when the previous kernel of the stream has ended, one by TMA may start earlier.
// For layers of few bytes that makes TMA faster: one image of 14 x 14 pixels and 672 channels with
// 5 x 5 taps takes 2.2 us, by cp_async 3.9 us, on an H200.
bool is_for_tma_alone(problem const& problem, double bytes) {
    return bytes < bytes_of_small_layer && best_tma(problem).prefetches(problem);
}

// Collects the configurations for a problem and an architecture, with their estimated times.
class listing {
  public:
    listing(problem const& problem, arch arch, double most_of_least)
        : asked(problem),
          chip(chip_of(arch)),
          sizes(correlation_of(problem)),
          found(problem, arch, most_of_least) {}

    // The candidates of fprop and dgrad; for a model, without those that it may not choose.
    std::vector<candidate> correlations(bool is_for_model, bool has_whole_rows) {
        int const fewest_groups = is_for_model && needs_whole_lines() ? 8 : 1;
        if (chip.has_tma && tma::config::has_pass(asked)) {
            if (has_whole_rows) add_whole_rows();
            add_tma(fewest_groups);
        }
        bool const has_all = is_for_model && !found.list.empty() &&
                             is_for_tma_alone(asked, found.list.front().expected.bytes);
        if (!has_all) add_cp_async();
        return std::move(found.list);
    }

  private:
    problem const& asked;
    spio::chip const& chip;
    correlation sizes;
    candidate_list found;

    // Whether a model chooses only blocks of eight groups, which read whole cache lines: of large
    // layers with an odd number of groups, whose pixels are no multiples of the 32 bytes of a
    // sector, if four groups leave as many warps idle. Of 74 such layers in the sweeps on an H200,
    // they take at most 0.95 of the time of others, 0.83 in the mean. With 10 to 25 taps and a
    // stride of 2, they take 0.84 at N64 C128 56 x 56, where taps are exchanged.
    bool needs_whole_lines() const {
        constexpr double least_bytes = 48e6;
        int const groups = asked.groups();
        bool const exchanges_taps = asked.taps() > few_taps && can_exchange_taps(asked);
        return asked.taps() <= medium_taps && (groups % 2 == 1 || exchanges_taps) &&
               asked.has_groups(8) && divup(groups, 8) * 8 == divup(groups, 4) * 4 &&
               image_bytes(asked) >= least_bytes;
    }
    // Adds the configurations of the body tma with at least so many groups.
    void add_tma(int fewest_groups) {
        few<strip> strips; // a short list
        if (sizes.spacing_w > 1) {
            // A tile has 16 even and 16 odd columns, or 8 of each of two images.
            strips.add(sizes.q <= 16 ? strip{2, 16} : strip{1, 32});
        } else if (sizes.q <= 8) {
            strips.add({2, 8});
            strips.add({4, 8});
        } else {
            for (int const count : {16, 32, 48}) {
                if (count / 16 <= divup(sizes.q, 16)) strips.add({1, count});
            }
            // The last mma tile of a row may have up to 8 columns: then 8 of two images are one.
            bool const has_half = asked.taps() > medium_taps && (sizes.q - 1) % 16 < 8;
            if (sizes.q <= 16 && asked.n > 1) strips.add({2, 16});
            if (sizes.q > 16 && asked.n > 1 && has_half) strips.add({2, 8});
        }
        // Whether a tile is allowed, and which boxes it has, does not depend on its groups: a block
        // that has no room for them has no place on an SM either.
        struct allowed_tile {
            tma::config config;
            tma::config::boxes_of_tile boxes;
        };
        std::vector<allowed_tile> tiles;
        tiles.reserve(32);
        for (auto const& [images, count] : strips) {
            for (int const rows : row_counts(asked, sizes.p)) {
                tma::config const tile = {.groups = 1,
                                          .images = images,
                                          .columns = count,
                                          .rows = rows,
                                          .tiles_per_block = 1,
                                          .blocks = 0};
                if (tile.fits(asked)) tiles.push_back({tile, tile.boxes(asked)});
            }
        }
        for (int const block_groups : {8, 4, 2, 1}) {
            bool const is_narrow = block_groups < 4 && asked.groups() >= 4 * block_groups;
            bool const is_allowed = block_groups >= fewest_groups && !is_narrow;
            if (!is_allowed || !asked.has_groups(block_groups)) continue;
            for (auto [tile, boxes] : tiles) {
                tile.groups = block_groups;
                if (found.is_too_slow(found.estimates.least_time(tile))) continue;
                for (int const count : {1, 2}) {
                    tile.tiles_per_block = count;
                    tile.blocks = blocks_of_sm(asked, tile, boxes);
                    if (tile.blocks > 0) found.add(tile);
                }
            }
        }
    }

    // Whether boxes of 16 columns of all of an odd number of groups are listed. Of 923 layers of a
    // sweep on an H200 they are the fastest in 120, by 4 % in the mean, all of them with 5 to 13
    // groups, at most 25 taps and no strides.
    bool has_odd_boxes(int groups) const {
        constexpr int fewest = 5, most = 13;
        bool const has_strides = asked.stride_h > 1 || asked.stride_w > 1;
        return groups % 2 == 1 && groups >= fewest && groups <= most && sizes.q > 8 &&
               asked.taps() <= medium_taps && !has_strides;
    }
    // Adds blocks by TMA with all of an odd number of groups, or of two, which copy their tiles row
    // by row; of odd groups also some that copy boxes of 16 columns, and of two those that copy
    // boxes of all columns, where add_tma() has only boxes of some. On an H200, rows took 0.84 to
    // 0.95 of the time of what had been chosen in five of 15 layers, and boxes of 112 columns 0.90
    // in one.
    void add_whole_rows() {
        int const groups = asked.groups();
        constexpr int most_listed = 48; // columns, by add_tma()
        int const all_columns = (checked_size(divup(sizes.q, 16)) * 16).as_int();
        if (!has_slow_boxes(groups)) return;
        for (int const count : {16, 32}) {
            bool const is_needed = sizes.q > 8 && count <= all_columns;
            if (is_needed) add_tiles(groups, count, /*whole_rows=*/true);
        }
        if (has_odd_boxes(groups)) add_tiles(groups, 16, /*whole_rows=*/false);
        bool const is_wide = groups == 2 && all_columns > most_listed;
        if (is_wide) add_tiles(groups, all_columns, /*whole_rows=*/false);
    }
    // Adds tiles of so many columns of an image.
    void add_tiles(int groups, int columns, bool whole_rows) {
        for (int const rows : row_counts(asked, sizes.p)) {
            tma::config tile = {.groups = groups,
                                .images = 1,
                                .columns = columns,
                                .rows = rows,
                                .tiles_per_block = 1,
                                .blocks = 0,
                                .whole_rows = whole_rows};
            if (!tile.fits(asked)) continue;
            if (found.is_too_slow(found.estimates.least_time(tile))) continue;
            tile.blocks = blocks_of_sm(asked, tile);
            if (tile.blocks > 0) found.add(tile);
        }
    }

    // Adds the configurations of the body cp_async.
    void add_cp_async() {
        int const groups = asked.groups();
        numbers group_counts; // a short list that leaves out what it has already
        for (int const most : {8, 16}) group_counts.add(largest_divisor(groups, most));
        for (int const count : {8, 4}) {
            int const idle_groups = divup(groups, count) * count - groups; // of the last block
            bool const is_wasteful = 8 * idle_groups > groups;
            if (count <= groups && !is_wasteful) group_counts.add(count);
        }
        // Of wider tiles a warp takes two mma tiles. With one, or with 16 columns of two images,
        // they were the fastest for few layers and hardly ever by more than 1 %, on an H200 and an
        // H100.
        few<strip> strips;
        for (auto const& small : {strip{1, 16}, {2, 8}, {4, 8}}) strips.add(small);
        for (int const count : {32, 64}) {
            if (count / 16 <= divup(sizes.q, 16)) strips.add({1, count});
        }
        // With a dilation every second output row, a phase, reads every second input row: a block
        // has rows of one phase.
        int const rows_of_phase = divup(sizes.p, rows_of(sizes).phases());
        numbers row_counts;
        for (int const rows : {4, 8, 16, 32, 64}) row_counts.add(std::min(rows, rows_of_phase));
        double least_rows = found.estimates.rows_read(*row_counts.begin());
        for (int const rows : row_counts) {
            least_rows = std::min(least_rows, found.estimates.rows_read(rows));
        }
        for (int const count : group_counts) {
            for (auto const& [images, width] : strips) {
                add_cp_async({.groups = count,
                              .images = images,
                              .columns = width,
                              .rows = 1,
                              .mma_tiles = images * width > 16 ? 2 : 1,
                              .stages = 4,
                              .blocks = 0,
                              .unrolled = true},
                             row_counts, least_rows);
            }
        }
    }
    // All but the rows decide whether a configuration is allowed. Blocks read at least `least_rows`
    // rows of an image in all.
    void add_cp_async(cp_async::config config, numbers const& row_counts, double least_rows) {
        if (!is_admitted(asked, config, chip)) return;
        if (found.is_too_slow(found.estimates.least_time(config, least_rows))) return;
        int const most_blocks = config.most_blocks(asked, chip.sm_registers);
        if (most_blocks == 0) return;
        config.blocks = std::clamp(found.estimates.blocks_of_sm(config), 1, most_blocks);
        for (int const rows : row_counts) {
            config.rows = rows;
            found.add(config);
        }
    }
};

} // namespace

std::vector<candidate> candidates(problem const& problem, arch arch) {
    check(problem);
    if (problem.pass == direction::wgrad) {
        return gradient_candidates(problem, arch, /*is_for_model=*/false);
    }
    listing list(problem, arch, std::numeric_limits<double>::infinity());
    return list.correlations(/*is_for_model=*/false, /*has_whole_rows=*/true);
}

std::vector<candidate> correlation_candidates(problem const& problem, arch arch,
                                              double most_of_least, bool has_whole_rows) {
    listing list(problem, arch, most_of_least);
    return list.correlations(/*is_for_model=*/true, has_whole_rows);
}

} // namespace spio::conv2d
