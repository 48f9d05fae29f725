// Lists the configurations of wgrad among which a learned model chooses.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter; a tap is an element of the filter's window. A body is
// one of two kernel templates, wgrad_tma and wgrad_cp_async, named after how they copy.
// Convolutions are grouped: channels fall into groups of 8, of which each has its own filter. A
// slice is the groups that one block computes, and a split is a block's part of the images; stages
// are buffers of a ring in shared memory. A step takes a row of some images, or all their rows; an
// mma tile is 16 columns of it. A checked_size is a number that becomes too large, and stays so,
// where an int would overflow.
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import :estimator;
import :few;
import spio.spec;

namespace spio::conv2d {

namespace {

// Whether two configurations of wgrad differ in none of the fields that the list varies.
template <class Config> bool is_same(Config const& a, Config const& b) {
    bool are_alike = true;
    if constexpr (requires { a.whole_images; }) are_alike = a.whole_images == b.whole_images;
    return are_alike && a.groups == b.groups && a.images == b.images && a.columns == b.columns &&
           a.stages == b.stages && a.splits == b.splits;
}

// Whether some of the candidates have a configuration.
template <class Candidates, class Config>
bool contains(Candidates const& candidates, Config const& config) {
    return std::ranges::any_of(candidates, [&](candidate const& other) {
        auto const* const same = std::get_if<Config>(&other.config);
        return same != nullptr && is_same(*same, config);
    });
}

// Collects the configurations for a problem and an architecture, with their estimated times.
class listing {
  public:
    // All candidates; for a model, without those that it may not choose.
    listing(problem const& problem, arch arch, bool is_for_model)
        : asked(problem),
          code(arch),
          is_for_model(is_for_model),
          chip(chip_of(arch)),
          found(problem, arch, std::numeric_limits<double>::infinity()) {}

    std::vector<candidate> gradients() {
        if (chip.has_tma) {
            auto const best = best_wgrad_tma(asked, code);
            add_gradients(best, [&](auto const& config) { return is_busy(config, best); });
            add_neighbours(best);
            add_whole_rows(best);
            if (auto const config_of_eight = with_eight_groups(asked, best, code)) {
                add_gradients(*config_of_eight, [&](auto const& config) {
                    return is_busy(config, *config_of_eight);
                });
            }
            add_twelve_groups(best);
            if (!is_for_model) add_unknown();
            // Of 229 layers with so many taps that were measured on an H200, 9 take at most 0.98 of
            // the time by cp_async, 0.88 at best.
            constexpr int many_groups = 4;
            bool const is_for_tma = asked.taps() > medium_taps && asked.groups() > many_groups;
            if (is_for_model && is_for_tma && !found.list.empty()) return std::move(found.list);
        }
        auto const has_room = [&](auto const& config) {
            auto const bytes = checked_size(config.shared_bytes(asked)) + reserved_shared_bytes;
            return (bytes * std::max(1, config.blocks)).value <= chip.shared_bytes;
        };
        auto best = best_wgrad_cp_async(asked, code);
        add_gradients(best, has_room);
        if (set_whole_rows(best)) add_gradients(best, has_room);
        return std::move(found.list);
    }

  private:
    problem const& asked;
    arch code;
    bool is_for_model;
    spio::chip const& chip;
    candidate_list found;

    // How a step is narrower than the best one.
    enum class step { best, fewer_images, fewer_columns };

    // Adds configurations of another kind than the best one of wgrad by TMA, with their neighbours:
    // steps of rows instead of whole images, or 8 groups.
    void add_neighbours(wgrad_tma::config const& best) {
        auto const any = [](auto const&) { return true; };
        auto other = best;
        if (set_whole_rows(other)) add_gradients(other, any);
        other = best;
        if (best.groups > 8) {
            other.groups = 8; // whose channels fill a cache line
            add_gradients(other, any);
        } else if (best.whole_images) {
            // A step may also have one row instead of all of its images, with a longer ring.
            other.whole_images = false;
            other.stages = 8;
            add_gradients(other, any);
        } else if (best.groups == 4 && asked.groups() > 4) {
            // More groups leave registers for fewer columns: one mma tile has 16 columns, of two
            // images that have 8 each or of one.
            other.groups = 8;
            other.splits = divup(best.splits, 2);
            other.images = best.columns == 8 ? 2 : 1;
            other.columns = best.columns == 8 ? 8 : 16;
            add_gradients(other, any);
        }
    }

    // Takes all columns of an image in a step, where they are five to eight mma tiles, and returns
    // whether it is so. Few taps and at most four groups leave a thread the registers for that: on
    // an H200 112 columns take 0.88 to 1.03 of the time of 64 in five narrow layers.
    template <class Config> bool set_whole_rows(Config& config) const {
        constexpr int most_mma_tiles = 8, most_groups = 4;
        int const mma_tiles = divup(asked.q(), 16);
        bool const is_wide = mma_tiles <= most_mma_tiles && 16 * mma_tiles > config.columns;
        bool const has_registers = asked.taps() <= few_taps && config.groups <= most_groups;
        if (!has_registers || config.images != 1 || !is_wide) return false;
        config.columns = 16 * mma_tiles;
        while (config.stages > 2 && !config.fits(asked)) --config.stages;
        return config.fits(asked);
    }

    // Whether a block has too few groups for a model to choose it: one of several, or one or two of
    // four to seven. In the sweeps on an H200, which have 690 such layers of at least 6 MB, the
    // best of these takes at least 1.05 of the time of the others.
    bool is_narrow(int groups) const {
        constexpr double least_bytes = 6e6;
        int const fewest = asked.groups() < 4   ? std::min(asked.groups(), 2)
                           : asked.groups() < 8 ? 3
                                                : 2;
        return is_for_model && groups < fewest && image_bytes(asked) >= least_bytes;
    }
    // Whether a step has too few products for a model to choose it: one mma tile of a wider image,
    // of a large filter and at most four groups. With one warp a group it is the fastest in 4 of
    // 118 layers of the sweeps, and takes at least 0.91 of the time of the others; with two it was
    // not swept, and takes 9.6 us instead of 6.2 (N1 C128 56 x 56).
    template <class Config> bool is_thin(Config const& config) const {
        return is_for_model && asked.taps() > medium_taps && asked.q() > 16 && config.groups <= 4 &&
               config.images * config.columns == 16;
    }
    // Whether the ring of a configuration with half of the stages is too short for a model.
    template <class Config> bool is_too_short(Config const& config) const {
        if constexpr (requires { config.whole_images; }) {
            return is_for_model && needs_long_ring(asked, config, code);
        }
        return false;
    }

    // Adds configurations whose blocks copy whole rows of images.
    void add_whole_rows(wgrad_tma::config const& best) {
        for (int const images : {1, 2}) {
            auto row_config = with_whole_rows(asked, images);
            if (!row_config) continue;
            for (int const splits : split_counts(asked, best, *row_config, chip.sm_count)) {
                row_config->splits = splits;
                if (row_config->fits(asked) && !contains(found.list, *row_config)) {
                    found.add(*row_config);
                }
            }
        }
    }

    // Adds blocks of twelve groups where eight would leave warps idle. On an H200 they take 0.88 to
    // 0.95 of the time of the others in four layers with 5 x 5 taps and C = 96 or 288.
    void add_twelve_groups(wgrad_tma::config const& best) {
        bool const has_idle_warps = asked.groups() % 12 == 0 && asked.groups() % 8 != 0;
        bool const is_medium = asked.taps() > few_taps && asked.taps() <= medium_taps;
        if (!has_idle_warps || !is_medium || !asked.is_dense() || best.whole_images) return;
        constexpr int most_columns = 32; // more take too many registers
        auto config_of_twelve = best;
        config_of_twelve.groups = 12;
        config_of_twelve.stages = 2;
        config_of_twelve.columns = std::min(best.columns, most_columns);
        config_of_twelve.images = std::max(1, std::min(best.images, most_columns / best.columns));
        add_gradients(config_of_twelve, [](auto const&) { return true; });
    }

    // Adds what no model chooses, so that a sweep measures it: two warps for each group where the
    // rule that decides this would not have them.
    void add_unknown() {
        for (std::ptrdiff_t i = 0, count = std::ssize(found.list); i < count; ++i) {
            auto const* const config = std::get_if<wgrad_tma::config>(&found.list[i].config);
            auto const divided = with_two_parts(asked, *config);
            if (divided) found.add(*divided);
        }
    }

    // Whether at least three quarters as many warps multiply at a time as with the best
    // configuration. This matters only with more than 9 taps, whose time is that of the products.
    // With more than 25 taps an SM has one block: then the blocks must all run at the same time, or
    // be no more than those of the best.
    bool is_busy(wgrad_tma::config const& config, wgrad_tma::config const& best) const {
        long long const sms = chip.sm_count;
        long long const blocks = config.blocks_of(asked), best_blocks = best.blocks_of(asked);
        if (asked.taps() > medium_taps) return blocks <= std::max(sms, best_blocks);
        bool const is_full = asked.taps() <= few_taps || blocks > sms;
        return is_full ||
               4 * blocks * warps_of(config) >= 3 * std::min(best_blocks, sms) * warps_of(best);
    }
    // The warps of a block that multiply: a group has two where with_parts() divides its taps.
    int warps_of(wgrad_tma::config const& config) const {
        constexpr int most_groups = 4;
        bool const is_divided = config.groups <= most_groups && !config.whole_images &&
                                config.blocks_of(asked) <= chip.sm_count && asked.is_dense();
        return is_divided ? 2 * config.groups : config.groups;
    }
    // The neighbours of a configuration: of fewer groups, narrower steps, more or fewer splits, and
    // a shorter ring of stages.
    template <class Config, class F> void add_gradients(Config const& best, F has_room) {
        // Those of one call are all different.
        auto const earlier = found.list | std::views::take(std::ssize(found.list));
        for (int const groups : {best.groups, best.groups / 2}) {
            if (groups == 0 || is_narrow(groups)) continue;
            for (auto const narrowed : {step::best, step::fewer_images, step::fewer_columns}) {
                Config narrowed_config = best;
                narrowed_config.groups = groups;
                // Fewer images rather than columns, whose halo would be loaded more often. With
                // strides either was the fastest in some layers on an H200.
                if (narrowed == step::fewer_images) {
                    if (narrowed_config.images % 2 != 0) continue;
                    narrowed_config.images /= 2;
                } else if (narrowed == step::fewer_columns) {
                    bool const has_columns = asked.stride_w > 1 ? narrowed_config.columns > 16
                                                                : narrowed_config.images == 1;
                    if (!has_columns || narrowed_config.columns % 2 != 0) continue;
                    narrowed_config.columns /= 2;
                }
                if (narrowed_config.columns % 16 != 0 && narrowed_config.columns != 8) continue;
                if (is_thin(narrowed_config)) continue;
                int most_stages = best.stages;
                // Narrower steps leave room for more.
                if constexpr (requires { narrowed_config.whole_images; }) {
                    if (!narrowed_config.whole_images) {
                        most_stages =
                            with_all_stages(asked, narrowed_config, max_shared_bytes).stages;
                    }
                }
                // Splits, of which a split has at least some rows, do not decide what fits.
                few<int> stage_counts;
                for (int const stages : {most_stages, most_stages / 2}) {
                    narrowed_config.stages = stages;
                    narrowed_config.splits = 1;
                    if (narrowed_config.fits(asked)) stage_counts.add(stages);
                }
                if (stage_counts.begin() == stage_counts.end()) continue;
                for (int const splits : split_counts(asked, best, narrowed_config, chip.sm_count)) {
                    for (int const stages : stage_counts) {
                        Config config = narrowed_config;
                        config.stages = stages;
                        config.splits = splits;
                        bool const is_short = stages != *stage_counts.begin();
                        if (is_short && is_too_short(config)) continue;
                        if (!contains(earlier, config) && has_room(config)) found.add(config);
                    }
                }
            }
        }
    }
};

} // namespace

bool needs_long_ring(problem const& problem, wgrad_tma::config const& config, arch arch) {
    bool const has_long_steps = config.whole_images || problem.taps() > few_taps;
    return has_long_steps && config.blocks_of(problem) <= chip_of(arch).sm_count;
}

std::vector<candidate> gradient_candidates(problem const& problem, arch arch, bool is_for_model) {
    return listing(problem, arch, is_for_model).gradients();
}

} // namespace spio::conv2d
