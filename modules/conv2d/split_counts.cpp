// Lists the numbers of splits that a configuration of wgrad may have.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter. Its sums are cut into splits, which are ranges of rows of
// strips: some columns of some images each.
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>

module spio.conv2d;

import :estimator;
import :few;

namespace spio::conv2d {

namespace {

// The number of splits, for blocks on most SMs, of which each has whole strips of images, or an
// equal part of one, and loads few rows that another loads too; 0 if there is none. On an H200
// they take 0.94 to 0.98 of the time in seven layers of 3 x 3 taps; with more taps, 0.78 and
// 0.79 in two layers where a quarter of the SMs have no block.
template <class Config> int even_splits(problem const& asked, Config const& config, int sm_count) {
    int const least_tenths = asked.taps() > few_taps ? 6 : 9; // of the SMs
    auto const strips = strip_count(asked, config.images, config.columns);
    int const slices = wgrad::slices(asked, config.groups);
    for (int splits = sm_count / slices;
         splits > 0 && 10 * splits * slices >= least_tenths * sm_count; --splits) {
        bool const has_parts = asked.taps() > few_taps && strips > 0 && splits % strips == 0;
        if (strips % splits == 0 || has_parts) return splits;
    }
    return 0;
}

template <class Config>
numbers counts_of(problem const& asked, Config const& best, Config const& config, int sm_count) {
    numbers counts;
    for (int const quarters : {8, 4, 2, 1}) {
        counts.add(std::max(1, best.splits * quarters * config.groups / (4 * best.groups)));
    }
    bool has_images = false;
    if constexpr (requires { config.whole_images; }) has_images = config.whole_images;
    auto const steps = checked_size(divup(asked.n, config.images)) *
                       divup(asked.q(), config.columns) * (has_images ? 1 : asked.p());
    auto const most = has_images ? steps : steps / divup(asked.r, 2);
    int const slices = wgrad::slices(asked, config.groups);
    int blocks = 1; // of an SM
    if constexpr (requires { config.blocks; }) blocks = std::max(1, config.blocks);
    for (int const fraction : {1, 2}) {
        int const wanted = blocks * sm_count / fraction / slices;
        if (wanted <= most.value) counts.add(wanted);
    }
    counts.add(even_splits(asked, config, sm_count));
    return counts;
}

} // namespace

numbers split_counts(problem const& problem, wgrad_tma::config const& best,
                     wgrad_tma::config const& config, int sm_count) {
    return counts_of(problem, best, config, sm_count);
}
numbers split_counts(problem const& problem, wgrad_cp_async::config const& best,
                     wgrad_cp_async::config const& config, int sm_count) {
    return counts_of(problem, best, config, sm_count);
}

} // namespace spio::conv2d
