// Choices that are made without the learned models, which were trained on too few such kernels.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of conv2d's kernel templates: those by TMA are called tma and wgrad_tma, another is
// cp_async.
module;

#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_tma.h"

#include <optional>

module spio.conv2d;

import :estimator;
import spio.spec;

namespace spio::conv2d {

// The family's choice of such kernels: wgrad of more groups than 8, where no cluster of at most 8
// blocks serves the problem.
std::optional<choice> choice_of_rare_kernel(problem const& problem, arch arch) {
    if (!chip_of(arch).has_tma || problem.pass != direction::wgrad) return {};
    auto const best = best_wgrad_tma(problem, arch);
    // Few configurations have so many groups: only for them clusters are estimated here.
    if (best.groups <= 8 || best_wgrad_cluster(problem, arch).microseconds > 0) return {};
    return choice{with_parts_and_groups(problem, best, arch), config_origin::family,
                  "the model was trained on few such kernels"};
}

// A kernel by cp_async starts when the previous kernel of the stream has ended, one by TMA may
// start earlier. For layers of few bytes that makes TMA faster: one image of 14 x 14 pixels and 672
// channels with 5 x 5 taps takes 2.2 us, by cp_async 3.9 us, on an H200.
bool starts_early(problem const& problem, double bytes) {
    return bytes < bytes_of_small_layer && best_tma(problem).prefetches(problem);
}

} // namespace spio::conv2d
