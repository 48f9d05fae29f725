// Products that warpgroups have started: they are computed when the first of their warps waits.
// SPDX-License-Identifier: Apache-2.0
//
// The sum of a product has 64 rows, 16 for each warp; its factors a and b are matrix descriptors,
// as wgmma takes them. A vector clock orders accesses of threads.
#pragma once

#include "sim/checker/vector_clock.h"
#include "sim/machine/wgmma.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace spio::sim {

// The part of a product that one warp computes: 16 rows of the sum.
struct warp_product {
    product_form form; // half or bfloat16, and whether a factor is transposed
    float* sums[32];   // of each lane
    int count;         // of a lane's sums
    unsigned long long a, b;
    bool accumulates;
};
struct warp_products {
    std::vector<warp_product> started;            // since the last commit
    std::deque<std::vector<warp_product>> groups; // committed and incomplete
};

// The products of four warps. A group completes for all of them at the same time.
struct warpgroup_products {
    warp_products warps[4];
    std::size_t completed = 0; // groups
    vector_clock readers;      // the joined clocks of the threads that read the factors

    // How many groups of products a warp has committed.
    std::size_t committed(int warp) const { return completed + warps[warp].groups.size(); }
};

} // namespace spio::sim
