// Specializes convolutions.
// SPDX-License-Identifier: Apache-2.0
//
// A spec (specialization) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. A body is one of conv2d's kernel templates. fprop is the
// forward pass, dgrad the gradient of the input, wgrad that of the filter; x is the input and dy
// the gradient of the output. has_static_layer() says whether the channels and the padding are
// known when a kernel is compiled.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <climits>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

constexpr int oldest_arch = 80; // sm_80, the first chip with cp.async
// Numbers of blocks that an SM should hold at once, which bound the registers of a thread.
constexpr int any_number_of_blocks = 0, one_block = 1;

// Throws if an architecture cannot run a body that takes `shared_bytes` bytes of shared memory a
// block and, if takes_tma, TMA.
void check_arch(problem const& problem, arch arch, bool takes_tma, int shared_bytes) {
    auto const fail = [&](std::string reason) {
        throw error(error_kind::unsupported, "specialize", "conv2d " + text_of(problem),
                    std::move(reason));
    };
    if (!arch.is_host && arch.number < oldest_arch) {
        fail("it takes at least sm_80, and not " + text_of(arch));
    }
    if (takes_tma && !arch.is_host && !chip_of(arch).has_tma) {
        fail("the tma bodies need the TMA engine of sm_90a, and " + text_of(arch) +
             (arch.is_newer_than_known() ? " is newer than they are" : " has none"));
    }
    if (shared_bytes > shared_bytes_of_block(arch)) {
        fail("a block takes " + std::to_string(shared_bytes) +
             " bytes of shared memory, of at most " + std::to_string(shared_bytes_of_block(arch)) +
             " for " + text_of(arch));
    }
}

// The configuration of a kernel: without what a kernel that serves any layer leaves to the launch.
template <class Config> Config of_kernel(problem const& problem, Config config) {
    if (problem.has_static_layer()) return config;
    if constexpr (requires { config.splits; }) config.splits = 0;
    if constexpr (requires { config.overlaps; }) config.groups = 0;
    return config;
}

// The specialization of the kernel template with the name `body`, with the parts that all of them
// share. `blocks` is how many blocks an SM should hold at once (0: any number). If `overlaps`, the
// launch may begin while the kernel before it in the stream ends.
template <class Config>
specialization request_of(problem const& problem, Config const& launched, std::string const& pass,
                          std::string_view body, int blocks, bool overlaps, arch arch) {
    auto const config = of_kernel(problem, launched);
    int cluster = 1;
    if constexpr (requires { config.cluster; }) cluster = config.cluster;
    std::string const name(body);
    return {.family = "conv2d",
            .prefix = "conv2d_" + pass + "_" + name_of(problem),
            .problem = text_of(problem),
            .config = name + " " + text_of(config),
            .arch = arch,
            .arguments = "spio::conv2d::problem" + initializer_of(problem.without_unknown()) +
                         ", spio::conv2d::" + name + "::config" + initializer_of(config),
            .shape = {.block = {config.threads(problem)},
                      .cluster = {cluster},
                      .shared_bytes = config.shared_bytes(problem),
                      .overlaps_previous = overlaps},
            .headers = kernel_text(),
            .body = body,
            .blocks = blocks};
}

// How many blocks an SM should hold at once, which bounds the registers of a thread. Left to
// itself, ptxas takes up to 10 registers more for SiLU or GELU, and with few taps an SM then holds
// one block less; bounded to the registers of the kernel without them, it spills nothing if the
// image is known.
template <class Config>
int resident_blocks(problem const& problem, Config const& config, arch arch) {
    if constexpr (std::same_as<Config, tma::config>) {
        bool const is_elementary =
            problem.activation == activation::silu || problem.activation == activation::gelu;
        if (problem.pass == direction::fprop && is_elementary && problem.has_static_image() &&
            problem.taps() <= few_taps) {
            constexpr int other_registers = 19; // addresses and counters
            int const registers =
                allocated_registers(config.held_registers(problem) + other_registers);
            return std::max(
                config.blocks,
                concurrent_blocks(chip_of(arch), {.threads = config.threads(problem),
                                                  .registers = registers,
                                                  .shared_bytes = config.shared_bytes(problem)}));
        }
    }
    return config.blocks;
}

// The specialization of a kernel of fprop or dgrad. Throws if it does not fit the problem or the
// architecture.
template <class Params, class Config>
typed_spec<Params> specialize_body(problem const& problem, Config const& config,
                                   std::string_view body, arch arch) {
    check(problem, config);
    check_arch(problem, arch, needs_maps(config), config.shared_bytes(problem));
    grid_of(problem, config.blocks_of(problem));
    return specialized<Params>(request_of(problem, config, enumerator_name(problem.pass), body,
                                          resident_blocks(problem, config, arch),
                                          needs_maps(config), arch),
                               [problem, config](Params const& params) {
                                   auto const launched = problem_of(problem, params.args);
                                   return grid_of(launched, config.blocks_of(launched));
                               });
}

// The shared memory with which a block that leaves partial sums is launched. Where there is an SM
// for each block, it asks for so much that no two share one: blocks may start in twos while other
// SMs idle, which took up to 1.4 times as long on an H200, 1.15 times in the mean.
template <class Config>
int launched_bytes(problem const& problem, Config const& config, arch arch) {
    int const bytes = config.shared_bytes(problem);
    if constexpr (requires { Config::least_bytes_of_one_kernel; }) {
        bool const has_sms =
            problem.has_static_layer() && config.blocks_of(problem) <= chip_of(arch).sm_count;
        if (has_sms) return std::max(bytes, Config::least_bytes_of_one_kernel);
    }
    return bytes;
}

// The specializations of the kernels of wgrad: partial sums, and the reduction that adds them.
template <class Params, class Config>
gradient_specs<Params> specialize_both(problem const& problem, Config const& config,
                                       std::string_view body, int blocks, arch arch) {
    check(problem, config);
    check_arch(problem, arch, needs_maps(config), config.shared_bytes(problem));
    bool const overlaps = needs_maps(config);
    auto const grid = grid_of(problem, config.blocks_of(problem));
    if (config.is_one_kernel(problem)) {
        return {.partial_sums = specialized<Params>(
                    request_of(problem, config, "wgrad", body, blocks, overlaps, arch),
                    [grid](Params const&) { return grid; }),
                .reduction = {},
                .workspace_bytes = 0};
    }
    auto const reduction = reduction_for(problem, config.groups, config.splits, overlaps);
    auto const reduction_grid = grid_of(problem, reduction.blocks_of(problem));
    // Generic kernels are as few as can be: partial sums are the same for every type of the
    // gradient, and a gradient in fp32 is summed alike for every type of x.
    auto summed = problem, reduced = problem;
    if (!problem.has_static_layer()) {
        summed.gradient = precision::fp32;
        if (reduced.gradient == precision::fp32) reduced.type = element_type::fp16;
    }
    auto request = request_of(summed, config, "wgrad", body, blocks, overlaps, arch);
    request.shape.shared_bytes = launched_bytes(problem, config, arch);
    return {.partial_sums = specialized<Params>(request, [grid](Params const&) { return grid; }),
            .reduction = {specialized<wgrad_reduce::params>(
                request_of(reduced, reduction, "wgrad_reduce", "wgrad_reduce", any_number_of_blocks,
                           overlaps, arch),
                [reduction_grid](wgrad_reduce::params const&) { return reduction_grid; })},
            .workspace_bytes = config.workspace_bytes(problem)};
}

} // namespace

wgrad_reduce::config reduction_for(problem const& problem, int groups_of_block, int splits,
                                   bool overlaps) {
    auto config = wgrad_reduce::config_for(problem, groups_of_block, splits, overlaps);
    // Generic kernels have 4 or 32 readers, which serve all numbers of splits well enough.
    if (!problem.has_static_layer()) config.readers = config.readers <= 4 ? 4 : 32;
    return config;
}

typed_spec<cp_async::params> specialize(problem const& problem, cp_async::config const& config,
                                        arch arch) {
    return specialize_body<cp_async::params>(problem, config, "cp_async", arch);
}
typed_spec<tma::params> specialize(problem const& problem, tma::config const& config, arch arch) {
    return specialize_body<tma::params>(problem, config, "tma", arch);
}
gradient_specs<wgrad_cp_async::params>
specialize_gradient(problem const& problem, wgrad_cp_async::config const& config, arch arch) {
    return specialize_both<wgrad_cp_async::params>(problem, config, "wgrad_cp_async", config.blocks,
                                                   arch);
}
gradient_specs<wgrad_tma::params> specialize_gradient(problem const& problem,
                                                      wgrad_tma::config const& config, arch arch) {
    return specialize_both<wgrad_tma::params>(problem, config, "wgrad_tma", one_block, arch);
}

std::vector<spec> specs_of(problem const& problem, config const& config, arch arch) {
    return std::visit(
        [&](auto const& body_config) -> std::vector<spec> {
            if constexpr (requires { specialize(problem, body_config, arch); }) {
                return {specialize(problem, body_config, arch)};
            } else {
                auto const specs = specialize_gradient(problem, body_config, arch);
                std::vector<spec> list = {specs.partial_sums};
                list.insert(list.end(), specs.reduction.begin(), specs.reduction.end());
                return list;
            }
        },
        config);
}

extent grid_of(problem const& problem, long long blocks) {
    if (blocks < 1 || blocks > INT_MAX) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem),
                    std::to_string(blocks) + " blocks are needed, of at least 1 and at most " +
                        std::to_string(INT_MAX));
    }
    return {static_cast<int>(blocks)};
}

extent grid(problem const& problem, config const& config) {
    check(problem);
    return std::visit(
        [&](auto const& body_config) { return grid_of(problem, body_config.blocks_of(problem)); },
        config);
}

reduction_launch reduction(problem const& problem, config const& config) {
    return std::visit(
        [&](auto const& body_config) -> reduction_launch {
            if constexpr (requires { body_config.workspace_bytes(problem); }) {
                auto const reduction = reduction_for(problem, body_config.groups,
                                                     body_config.splits, needs_maps(config));
                return {.grid = grid_of(problem, reduction.blocks_of(problem)),
                        .params = {.workspace = nullptr,
                                   .dw = nullptr,
                                   .dbias = nullptr,
                                   .c = problem.c,
                                   .splits = reduction.splits,
                                   .groups = reduction.groups},
                        .workspace_bytes = body_config.workspace_bytes(problem)};
            } else {
                throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem),
                            "the configuration " + config_text(config) + " makes no wgrad");
            }
        },
        config);
}

} // namespace spio::conv2d
