// Specializes matrix products, and checks the arguments of their launches.
// SPDX-License-Identifier: Apache-2.0
//
// A spec (specialization) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. A body is one of matmul's kernel templates. A chip is the
// figures of a GPU that estimates use. A typed_spec is a spec with the type of its parameters.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

module spio.matmul;

import :misfit;
import spio.spec;

namespace spio::matmul {

namespace {

constexpr int oldest_arch = 80;       // sm_80, the first chip with cp.async
constexpr int factor_bytes = 2;       // of an element of a or b, which is fp16 or bf16
constexpr int one_resident_block = 1; // on an SM: what the compiler must make possible

// Throws unless the problem is valid, the configuration fits it and the architecture runs the
// kernel.
template <class Config>
void check_config(problem const& problem, Config const& config, std::string const& body,
                  bool is_supported, arch arch) {
    check(problem);
    spio::check("matmul", config);
    auto const fail = [&](error_kind kind, std::string reason) {
        throw error(kind, "specialize", "matmul " + text_of(problem), std::move(reason));
    };
    if (!config.fits(problem)) {
        fail(error_kind::invalid, "the configuration " + body + " " + text_of(config) +
                                      " does not fit: " + misfit(problem, config).text());
    }
    if (!is_supported) {
        fail(error_kind::unsupported, "the body " + body + " does not run on " + text_of(arch));
    }
    int const shared_bytes = shared_bytes_of(problem, config);
    if (shared_bytes > shared_bytes_of_block(arch)) {
        fail(error_kind::unsupported, "a block takes " + std::to_string(shared_bytes) +
                                          " bytes of shared memory, of at most " +
                                          std::to_string(shared_bytes_of_block(arch)) + " for " +
                                          text_of(arch));
    }
}

template <class Config>
specialization request_of(problem const& problem, Config const& config, std::string_view body,
                          block_shape const& shape, int blocks, arch arch) {
    std::string const name(body);
    return {.family = "matmul",
            .prefix = "matmul_" + name_of(problem),
            .problem = text_of(problem),
            .config = name + " " + text_of(config),
            .arch = arch,
            .arguments = "spio::matmul::problem" + initializer_of(problem.without_unknown()) +
                         ", spio::matmul::" + name + "::config" + initializer_of(config),
            .shape = shape,
            .headers = kernel_text(),
            .body = body,
            .blocks = blocks};
}

// The grid of so many blocks; refuses what no grid has.
extent grid_of(long long blocks) {
    if (blocks < 1 || blocks > INT_MAX) {
        throw error(error_kind::invalid, "launch", "matmul",
                    std::to_string(blocks) + " blocks are needed, of at least 1 and at most " +
                        std::to_string(INT_MAX));
    }
    return {static_cast<int>(blocks)};
}

} // namespace

typed_spec<cp_async::params> specialize(problem const& problem, cp_async::config const& config,
                                        arch arch) {
    check_config(problem, config, "cp_async", arch.is_host || arch.number >= oldest_arch, arch);
    block_shape const shape = {.block = {config.threads()}, .shared_bytes = config.shared_bytes()};
    return specialized<cp_async::params>(
        request_of(problem, config, "cp_async", shape, one_resident_block, arch),
        [problem, config, arch](cp_async::params const& p) {
            // The kernel counts the bytes of up to 64 lines in an int.
            constexpr long long most = 1LL << 24;
            if (p.args.a.leading > most || p.args.b.leading > most) {
                throw error(error_kind::invalid, "launch", "matmul " + text_of(problem),
                            "the lines of a or b are more than " + std::to_string(most) +
                                " elements apart, which the body cp_async does not take");
            }
            return grid(p.args.sizes, config, arch);
        });
}
typed_spec<wgmma::params> specialize(problem const& problem, wgmma::config const& config,
                                     arch arch) {
    check_config(problem, config, "wgmma", arch.has_wgmma(), arch);
    block_shape const shape = {.block = {config.threads()},
                               .cluster = {config.cluster()},
                               .shared_bytes = config.shared_bytes(problem),
                               .overlaps_previous = true};
    return specialized<wgmma::params>(
        request_of(problem, config, "wgmma", shape, config.blocks, arch),
        [problem, config, arch](wgmma::params const& p) {
            if (!config.stores_columns(problem, p.sizes.n)) {
                throw error(error_kind::invalid, "launch", "matmul " + text_of(problem),
                            "n is " + std::to_string(p.sizes.n) +
                                ", but the body wgmma stores rows of whole cells of 16 bytes");
            }
            return grid(p.sizes, config, arch);
        });
}
spec spec_of(problem const& problem, config const& config, arch arch) {
    return std::visit(
        [&](auto const& body_config) -> spec { return specialize(problem, body_config, arch); },
        config);
}

int concurrent_clusters(wgmma::config const& config, arch arch) {
    int const blocks = config.cluster();
    if (blocks < 1 || blocks > most_portable_cluster || config.blocks < 1) {
        throw error(error_kind::invalid, "launch", "matmul",
                    "a cluster has " + std::to_string(blocks) +
                        " blocks, of at least 1 and at most " +
                        std::to_string(most_portable_cluster) + ", and " +
                        std::to_string(config.blocks) + " of them, at least 1, share an SM");
    }
    return concurrent_clusters(chip_of(arch.is_host ? sm_90a : arch), blocks) * config.blocks;
}
extent grid(sizes const& sizes, config const& config, arch arch) {
    if (auto const* const wgmma = std::get_if<wgmma::config>(&config)) {
        // Clusters that run at the same time share the tiles.
        long long const clusters = concurrent_clusters(*wgmma, arch);
        grid_of(wgmma->tiles(sizes));
        return grid_of(std::min(wgmma->tiles(sizes), clusters) * wgmma->cluster());
    }
    return grid_of(std::get<cp_async::config>(config).tiles(sizes));
}

namespace {

// A matrix argument of a launch. A line is what lies without a gap in memory: a row, or a column
// if the matrix lies by columns.
struct checked_matrix {
    char const* name;
    void const* data;
    long long leading; // elements from a line to the next
    long long batch;   // elements from a matrix of the batch to the next
    int element_bytes;
    int width; // elements of a line
};

// Throws if a launch's matrix does not lie as the kernel needs it.
void check_matrix(problem const& problem, sizes const& sizes, checked_matrix const& matrix) {
    auto const fail = [&](std::string const& reason) {
        throw error(error_kind::invalid, "launch", "matmul " + text_of(problem),
                    std::string(matrix.name) + reason);
    };
    if (matrix.data == nullptr) fail(" is a null pointer");
    auto const alignment = std::max(problem.alignment, matrix.element_bytes);
    std::string const multiple = "no multiple of " + std::to_string(alignment) + " bytes";
    if (reinterpret_cast<std::uintptr_t>(matrix.data) % static_cast<unsigned>(alignment) != 0) {
        fail(" begins at " + multiple);
    }
    if (matrix.leading < matrix.width) {
        fail(" has lines of " + std::to_string(matrix.width) + " elements, " +
             std::to_string(matrix.leading) + " apart");
    }
    bool const has_batch = sizes.batch > 1;
    if (matrix.leading * matrix.element_bytes % alignment != 0 ||
        (has_batch && matrix.batch * matrix.element_bytes % alignment != 0)) {
        fail(" has lines or matrices whose distance is " + multiple);
    }
}

} // namespace

void check(problem const& made_for, args const& args) {
    auto const& sizes = args.sizes;
    bool const agrees = sizes.m > 0 && sizes.n > 0 && sizes.k > 0 && sizes.batch > 0 &&
                        (!made_for.has_static_m() || sizes.m == made_for.m) &&
                        (!made_for.has_static_n() || sizes.n == made_for.n) &&
                        (!made_for.has_static_k() || sizes.k == made_for.k);
    if (!agrees) {
        throw error(error_kind::invalid, "launch", "matmul " + text_of(made_for),
                    "the launch has other sizes: m " + std::to_string(sizes.m) + ", n " +
                        std::to_string(sizes.n) + ", k " + std::to_string(sizes.k) + ", batch " +
                        std::to_string(sizes.batch));
    }
    bool const a_by_rows = made_for.a == order::rows, b_by_rows = made_for.b == order::rows;
    int const bytes = made_for.result_bytes();
    check_matrix(made_for, sizes,
                 {.name = "a",
                  .data = args.a.data,
                  .leading = args.a.leading,
                  .batch = args.a.batch,
                  .element_bytes = factor_bytes,
                  .width = a_by_rows ? sizes.k : sizes.m});
    check_matrix(made_for, sizes,
                 {.name = "b",
                  .data = args.b.data,
                  .leading = args.b.leading,
                  .batch = args.b.batch,
                  .element_bytes = factor_bytes,
                  .width = b_by_rows ? sizes.n : sizes.k});
    check_matrix(made_for, sizes,
                 {.name = "d",
                  .data = args.d.data,
                  .leading = args.d.leading,
                  .batch = args.d.batch,
                  .element_bytes = bytes,
                  .width = sizes.n});
    if (made_for.residual) {
        check_matrix(made_for, sizes,
                     {.name = "c",
                      .data = args.c.data,
                      .leading = args.c.leading,
                      .batch = args.c.batch,
                      .element_bytes = bytes,
                      .width = sizes.n});
    }
    if (made_for.bias && args.bias == nullptr) {
        throw error(error_kind::invalid, "launch", "matmul " + text_of(made_for),
                    "the bias is a null pointer");
    }
}

} // namespace spio::matmul
