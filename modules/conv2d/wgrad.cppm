// The weight gradient: its two bodies, the sum after either, and what they are launched with.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"
#include "conv2d/wgrad_boxes.h"
#include "conv2d/wgrad_rows.h"
#include "conv2d/wgrad_sum.h"

#include <string_view>
#include <tuple>

export module spio.conv2d:wgrad;

import spio.spec;

export namespace spio::conv2d {

namespace wgrad_rows {
using wgrad_rows::config;
using wgrad_rows::params;
} // namespace wgrad_rows
namespace wgrad_boxes {
using wgrad_boxes::config;
using wgrad_boxes::params;
using wgrad_boxes::plan_of_dy;
using wgrad_boxes::plan_of_x;
} // namespace wgrad_boxes
namespace wgrad_sum {
using wgrad_sum::params;
} // namespace wgrad_sum

// Two kernels, one after the other: sums of parts of the rows, and those added up. Both are given
// the same workspace, which is theirs from the beginning of the first to the end of the second and
// need not be cleared.
template <class Params> struct gradient_specs {
    spec_of<Params> parts;
    spec_of<wgrad_sum::params> sum;
    long long workspace_bytes;
};
gradient_specs<wgrad_rows::params> specialize_gradient(problem const&, wgrad_rows::config const&,
                                                       std::string_view arch);
gradient_specs<wgrad_boxes::params> specialize_gradient(problem const&, wgrad_boxes::config const&,
                                                        std::string_view arch);

// What is estimated to be fastest. Where the launch brings the sizes, for those that the problem
// has nevertheless.
wgrad_rows::config best_rows_of_gradient(problem const&, std::string_view arch);
wgrad_boxes::config best_boxes_of_gradient(problem const&, std::string_view arch);

} // namespace spio::conv2d

export namespace spio {

template <> struct fields_of<conv2d::wgrad_rows::config> {
    using config = conv2d::wgrad_rows::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 32}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 512, .multiple_of = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 64}},
                   field{"parts", &config::parts, {.least = 1, .most = 1 << 16}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 16}});
};
template <> struct fields_of<conv2d::wgrad_boxes::config> {
    using config = conv2d::wgrad_boxes::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 8}},
                   field{"images", &config::images, {.least = 1, .most = 256}},
                   field{"columns", &config::columns, {.least = 8, .most = 248, .multiple_of = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 64}},
                   field{"parts", &config::parts, {.least = 1, .most = 1 << 16}},
                   field{"whole", &config::whole});
};
template <> struct fields_of<conv2d::wgrad_sum::config> {
    using config = conv2d::wgrad_sum::config;
    static constexpr auto all =
        std::tuple(field{"parts", &config::parts, {.least = 1}},
                   field{"groups", &config::groups, {.least = 1}},
                   field{"readers", &config::readers, {.least = 1, .most = 256}},
                   field{"overlaps", &config::overlaps});
};

} // namespace spio
