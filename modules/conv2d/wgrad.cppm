// The weight gradient: its two bodies, the sum after either, and what they are launched with.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <string_view>
#include <tuple>

export module spio.conv2d:wgrad;

import spio.spec;

export namespace spio::conv2d {

namespace wgrad_cp_async {
using wgrad_cp_async::config;
using wgrad_cp_async::params;
} // namespace wgrad_cp_async
namespace wgrad_tma {
using wgrad_tma::config;
using wgrad_tma::params;
using wgrad_tma::plan_of_dy;
using wgrad_tma::plan_of_x;
} // namespace wgrad_tma
namespace wgrad_reduce {
using wgrad_reduce::params;
} // namespace wgrad_reduce

// Two kernels, one after the other: sums of parts of the rows, and those added up. Both are given
// the same workspace, which is theirs from the beginning of the first to the end of the second and
// need not be cleared.
template <class Params> struct gradient_specs {
    spec_of<Params> partial_sums;
    spec_of<wgrad_reduce::params> reduction;
    long long workspace_bytes;
};
gradient_specs<wgrad_cp_async::params> specialize_gradient(problem const&,
                                                           wgrad_cp_async::config const&, arch);
gradient_specs<wgrad_tma::params> specialize_gradient(problem const&, wgrad_tma::config const&,
                                                      arch);

// What is estimated to be fastest. Where the launch brings the sizes, for those that the problem
// has nevertheless.
wgrad_cp_async::config best_wgrad_cp_async(problem const&, arch);
wgrad_tma::config best_wgrad_tma(problem const&, arch);

} // namespace spio::conv2d

export namespace spio {

template <> struct fields_of<conv2d::wgrad_cp_async::config> {
    using config = conv2d::wgrad_cp_async::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 32}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 512, .multiple_of = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 64}},
                   field{"splits", &config::splits, {.least = 1, .most = 1 << 16}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 16}});
};
template <> struct fields_of<conv2d::wgrad_tma::config> {
    using config = conv2d::wgrad_tma::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 8}},
                   field{"images", &config::images, {.least = 1, .most = 256}},
                   field{"columns", &config::columns, {.least = 8, .most = 248, .multiple_of = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 64}},
                   field{"splits", &config::splits, {.least = 1, .most = 1 << 16}},
                   field{"whole_images", &config::whole_images});
};
template <> struct fields_of<conv2d::wgrad_reduce::config> {
    using config = conv2d::wgrad_reduce::config;
    static constexpr auto all =
        std::tuple(field{"splits", &config::splits, {.least = 1}},
                   field{"groups", &config::groups, {.least = 1}},
                   field{"readers", &config::readers, {.least = 1, .most = 256}},
                   field{"overlaps", &config::overlaps});
};

} // namespace spio
