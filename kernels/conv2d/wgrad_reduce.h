// The sums of all splits added up to the weight gradient: how threads share them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_reduce {

// Each element of the workspace is added up over the splits by some readers, a run of splits each,
// always in the same order.
struct config {
    int splits;
    int groups; // that the workspace has, those beyond the last too
    int readers;
    bool overlaps; // may begin before the sums are there, and waits for them: from sm_90 on

    static constexpr int block_size = 256;
    constexpr int threads(problem const&) const { return block_size; }
    constexpr int elements_of_block() const { return block_size / readers; }
    constexpr int shared_bytes(problem const&) const { return readers > 1 ? 16 * block_size : 0; }
    constexpr bool fits(problem const& of) const {
        return of.pass == direction::wgrad && splits > 0 && groups >= of.groups() && readers > 0 &&
               block_size % readers == 0;
    }
    constexpr long long elements(problem const& of) const {
        return 32LL * groups * wgrad::pairs_of(of).count();
    }
    constexpr long long blocks_of(problem const& of) const {
        return (elements(of) + elements_of_block() - 1) / elements_of_block();
    }
};

// So many readers that each has a few splits, and that there are blocks enough.
constexpr config config_for(problem const& of, int groups_of_block, int splits, bool overlaps) {
    config best = {splits, wgrad::slices(of, groups_of_block) * groups_of_block, 1, overlaps};
    while (best.readers < 32 && best.readers * 4 < splits) best.readers *= 2;
    return best;
}

// The gradient's elements are floats or halves, as the problem says.
struct params {
    vec<float, 4> const* workspace;
    void* dw;
    float* dbias;
};

} // namespace spio::conv2d::wgrad_reduce
