// The reduction of wgrad's partial sums: how threads share the elements.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter. Its first kernel leaves partial sums in the workspace, one
// for each of some splits of the rows of all images. An element is four floats: the part of an
// accumulator that a lane holds. Channels are in groups of 8. A slice is the channels of some
// groups, which a block takes. A checked_size is a number that becomes too large, and stays so,
// where an int would overflow.
#pragma once

#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_reduce {

// Several threads, the readers of an element, sum it over the splits: reader i sums the splits
// i, i + readers, i + 2 * readers, …. The additions always have the same order.
struct config {
    int splits;
    int groups;    // of the workspace, spare groups after the last one of the problem included
    int readers;   // threads that share an element
    bool overlaps; // starts by programmatic dependent launch, from sm_90 on

    static constexpr int block_size = 256;
    constexpr int threads(problem const&) const { return block_size; }
    constexpr int elements_of_block() const {
        return (checked_size(block_size) / readers).as_int();
    }
    constexpr int shared_bytes(problem const&) const { return readers > 1 ? 16 * block_size : 0; }
    // Whether a kernel of this configuration can add the problem's partial sums.
    constexpr bool fits(problem const& problem) const {
        return problem.pass == direction::wgrad && wgrad::has_splits(problem, splits) &&
               groups >= problem.groups() && readers > 0 && block_size % readers == 0;
    }
    // 32 lanes hold an element of each accumulator. A pair of the filter's taps has one
    // accumulator.
    constexpr long long elements(problem const& problem) const {
        return (checked_size(groups) * 32 * wgrad::pairs_of(problem).count()).value;
    }
    constexpr long long blocks_of(problem const& problem) const {
        return divup(checked_size(elements(problem)), elements_of_block()).value;
    }
};

// Doubles the readers until each sums at most four splits, or there are 32 readers. More readers
// make more blocks.
constexpr config config_for(problem const& problem, int groups_of_block, int splits,
                            bool overlaps) {
    int const groups =
        (checked_size(wgrad::slices(problem, groups_of_block)) * groups_of_block).as_int();
    config best = {splits, groups, /*readers=*/1, overlaps};
    while (best.readers < 32 && best.readers * 4 < splits) best.readers *= 2;
    return best;
}

// `dw` points to elements of the type problem::gradient.
struct params {
    vec<float, 4> const* workspace;
    void* dw;
    float* dbias;
    // Read only by kernels that serve any layer: the channels, and what the configuration of the
    // launch has.
    int c = 0, splits = 0, groups = 0;
};

} // namespace spio::conv2d::wgrad_reduce
