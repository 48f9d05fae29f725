// Loops that only multiply: how their kernels are specialized.
// SPDX-License-Identifier: Apache-2.0
//
// The ceiling is the rate of products that tensor cores reach at most. A typed_spec is what a
// kernel is compiled from: its text, and the type of its parameters.
module;

#include "ceiling/problem.h"

#include <span>
#include <string>
#include <string_view>

export module ceiling;

import spio.spec;

export namespace ceiling {

using ceiling::config;
using ceiling::params;

// The text of problem.h and of the bodies; spio_add_family() writes this function.
std::span<spio::header const> kernel_text();

// `body` is wgmma or mma_sync. A block has a warpgroup for each 64 rows, or a warp for each 64 x
// 64 sums.
inline spio::typed_spec<params> specialize(std::string_view body, config const& config,
                                           spio::arch arch) {
    std::string const sides = std::to_string(config.m) + ", " + std::to_string(config.n) + ", ";
    int const threads = body == "wgmma" ? 2 * config.m : config.m * config.n / 128;
    return spio::specialized<params>(
        {.family = "ceiling",
         .prefix = "ceiling_" + std::string(body),
         .problem = std::string(body),
         .config = sides + std::to_string(config.stages),
         .arch = arch,
         .arguments = "ceiling::config{" + sides + std::to_string(config.stages) + "}",
         .shape = {.block = {threads}, .shared_bytes = config.shared_bytes()},
         .scope = "ceiling",
         .headers = kernel_text(),
         .body = body,
         .blocks = 1});
}

} // namespace ceiling
