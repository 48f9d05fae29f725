// Chooses how a cluster of blocks shares the weight gradient of a small layer, in one launch.
// SPDX-License-Identifier: Apache-2.0
//
// The gradient of the filter (wgrad) sums products of rows of the input x and of dy, the gradient
// of the output, over all images. Blocks sum some rows each, their split. Mostly a second kernel
// adds these partial sums; where a layer has few bytes its launch takes as long as the rest. A
// cluster of blocks adds them itself, but at most 16 blocks are a cluster, so that each has more
// rows. A step takes a row of x of some images; an mma tile is 16 columns of it. has_static_layer()
// says whether the channels and the padding are known when a kernel is compiled.
module;

#include "conv2d/halo.h"
#include "conv2d/problem.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <utility>

module spio.conv2d;

import :estimator;
import :fitted;
import spio.spec;

namespace spio::conv2d {

namespace {

static_assert(most_cluster == wgrad_tma::config::most_cluster);
// The clusters of so many blocks that an H200 runs at once, with one block on each SM.
int at_once(int blocks) { return concurrent_clusters(chip_of(sm_90a), blocks); }
constexpr int least_stages = 5, most_stages = 12; // of rows, where a block has so many
// The largest layers, with small and with large clusters, that were measured on an H200; with at
// most medium_taps.
constexpr double most_bytes = 16e6, most_bytes_of_large = 80e6;

// The search for the fastest configuration of a problem.
class search {
  public:
    search(problem const& problem, cluster_size size)
        : asked(problem),
          rows(rows_of(problem)),
          pairs(wgrad::pairs_of(problem).count()),
          is_large(size == cluster_size::large) {}

    // The two with the shortest estimated times.
    cluster_choices fastest() {
        constexpr bool whole_images = true, single_rows = false; // of a step
        if (asked.q() <= 8) {
            add({.images = 2, .columns = 8}, whole_images);
            if (found.best.microseconds > 0) return found;
            for (int const images : {2, 4, 8}) add({images, 8}, single_rows);
        }
        // Of steps that take equally long, the one with the fewest images loads the fewest columns.
        for (int const columns : {64, 48, 32, 16}) {
            if (columns >= asked.q() + 16) continue;
            for (int const images : {1, 2, 4, 8}) add({images, columns}, single_rows);
        }
        return found;
    }

  private:
    problem const& asked;
    correlated_axis rows;
    int pairs;
    bool is_large;
    cluster_choices found;

    // Whether a configuration that takes so long is neither of the fastest two so far.
    bool is_slow(double microseconds) const {
        return found.second.microseconds > 0 && microseconds >= found.second.microseconds;
    }

    // The strips whose rows the blocks of a slice (of some groups of channels) share: some columns
    // of some images each.
    int strips(strip const& strip) const {
        return divup(asked.n, strip.images) * divup(asked.q(), strip.columns);
    }
    // The steps of neighbouring rows of dy of a strip, as many as take that long: one for each row
    // of x that they read (walk_count).
    double steps(int neighbours) const {
        if (neighbours == 0) return 0;
        return rows.walk_count(neighbours) *
               (neighbours < rows.live_outputs() ? fitted_cluster.short_span : 1);
    }
    // The steps of the split that has the most: the rest of a strip, whole strips, and the first
    // rows of one.
    double most_steps(int all_rows, int splits) const {
        double most = 0;
        int first = 0, last = 0;
        for (int split = 0; split < splits; ++split, first = last) {
            last = wgrad::first_row_of_split(all_rows, asked.p(), split + 1, splits,
                                             rows.live_outputs());
            int const rest = std::min(last - first, (asked.p() - first % asked.p()) % asked.p());
            int const others = last - first - rest;
            most = std::max(most, steps(rest) + others / asked.p() * steps(asked.p()) +
                                      steps(others % asked.p()));
        }
        return most;
    }
    // The time of the steps of a block.
    double time(wgrad_tma::config const& config) const {
        int const count = strips({config.images, config.columns});
        double const crowd = config.groups > 4 ? fitted_cluster.crowd : 1;
        if (config.whole_images) {
            return divup(count, config.splits) * rows.walk_count(asked.p()) * pairs *
                   fitted_cluster.image_row * crowd;
        }
        double const multiplied =
            fitted_cluster.step +
            pairs * (fitted_cluster.pair + config.mma_tiles() * fitted_cluster.product);
        double const loaded =
            fitted_cluster.pixel * config.images * (config.input_columns(asked) + config.columns);
        double const step = std::max(multiplied * crowd, loaded);
        // Each row takes a step at least: most configurations are slower than the best even so.
        double const least = 1.0 * count * asked.p() / config.splits * step;
        if (is_slow(least)) return least;
        return most_steps(count * asked.p(), config.splits) * step;
    }

    // Keeps the fastest configurations with this step, if they are faster than those so far.
    void add(strip const& strip, bool whole_images) {
        bool const is_spare = strip.images > std::max(asked.n, strip.columns == 8 ? 2 : 1);
        int const mma_tiles = divup(strip.images * strip.columns, 16);
        // A warp has registers for the rows of dy in this many tiles.
        int const most_mma_tiles = asked.taps() <= few_taps ? 8 : 4;
        if (is_spare || mma_tiles > most_mma_tiles) return;
        int const most_splits = is_large ? most_cluster : most_portable_cluster;
        for (int splits = is_large ? most_splits : 2; splits <= most_splits; ++splits) {
            // Few groups, so that many blocks share them: as many as run at once.
            int groups = 1;
            while (groups < 8 && wgrad::slices(asked, groups) > at_once(splits)) groups *= 2;
            if (wgrad::slices(asked, groups) > at_once(splits)) return;
            // More leave no shared memory for enough stages.
            if (is_large && mma_tiles > 4 && groups > 2) return;
            add({.groups = groups,
                 .images = strip.images,
                 .columns = strip.columns,
                 .stages = 2,
                 .splits = splits,
                 .whole_images = whole_images,
                 .cluster = splits});
        }
    }
    void add(wgrad_tma::config config) {
        int const count = strips({config.images, config.columns});
        // Stages for all steps of a block, or as many as there is room for.
        int const loads = config.whole_images ? divup(count, config.splits)
                                              : divup(count * asked.p(), config.splits) + asked.r;
        // Even with an idle block, one launch is faster than two.
        int const parts = config.whole_images ? count : count * asked.p();
        if (config.splits > std::max(2, parts)) return;
        double const microseconds = time(config);
        if (is_slow(microseconds)) return;
        int const room = stages_in(asked, config, max_shared_bytes);
        config.stages = std::clamp(std::min(loads, room), 2, most_stages);
        while (config.stages > 2 && !config.fits(asked)) --config.stages;
        bool const is_shallow = config.stages < std::min(loads, least_stages);
        if (!config.fits(asked) || (is_shallow && !config.whole_images)) return;
        found.second = {config, microseconds};
        bool const is_best = found.best.microseconds <= 0 || microseconds < found.best.microseconds;
        if (is_best) std::swap(found.best, found.second);
    }
};

} // namespace

cluster_choices best_wgrad_clusters(problem const& problem, arch arch, cluster_size size) {
    chip const& chip = chip_of(arch);
    double const bytes = image_bytes(problem);
    bool const is_known = problem.has_static_layer() && problem.taps() <= medium_taps;
    double const most = size == cluster_size::large ? most_bytes_of_large : most_bytes;
    if (!chip.has_tma || !is_known || bytes > most) return {};
    auto found = search(problem, size).fastest();
    for (auto* const each : {&found.best, &found.second}) {
        if (each->microseconds > 0) {
            each->microseconds += fitted_cluster.launch + bytes / chip.copy_bytes;
        }
    }
    return found;
}
cluster_choice best_wgrad_cluster(problem const& problem, arch arch) {
    return best_wgrad_clusters(problem, arch, cluster_size::small).best;
}

} // namespace spio::conv2d
