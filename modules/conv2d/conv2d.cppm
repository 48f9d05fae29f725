// Grouped convolution: its problems, its configurations, how they are specialized, and their cost.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter,
// which a second kernel (reduce) completes. A body is one of four kernel templates: tma and
// cp_async for fprop and dgrad, wgrad_tma and wgrad_cp_async, named after how they copy to shared
// memory. A problem is the sizes and options of a call, a configuration how blocks share it.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <array>
#include <climits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

export module spio.conv2d;

import spio.spec;
export import :choice;
export import :reference;

export namespace spio {
using spio::bfloat16;
using spio::half;
} // namespace spio

export namespace spio::conv2d {

using conv2d::activation, conv2d::correlation, conv2d::correlation_of;
using conv2d::direction;
using conv2d::element_type;
using conv2d::group_width;
using conv2d::known_sizes;
using conv2d::precision, conv2d::precision_of;
using conv2d::problem;

using conv2d::N, conv2d::C, conv2d::H, conv2d::W, conv2d::K, conv2d::P, conv2d::Q, conv2d::R,
    conv2d::S, conv2d::FLOAT;
using conv2d::bias_of, conv2d::filter_of, conv2d::floats, conv2d::input_of, conv2d::output_of;
using conv2d::correlation_args, conv2d::epilogue_args, conv2d::element_bits, conv2d::wgrad_args;

namespace cp_async {
using cp_async::config, cp_async::params;
} // namespace cp_async
namespace tma {
using tma::config, tma::params, tma::input_plan, tma::output_plan;
} // namespace tma
namespace wgrad_cp_async {
using wgrad_cp_async::config, wgrad_cp_async::params;
} // namespace wgrad_cp_async
namespace wgrad_tma {
using wgrad_tma::config, wgrad_tma::params, wgrad_tma::dy_plan, wgrad_tma::x_plan;
} // namespace wgrad_tma
namespace wgrad_reduce {
using wgrad_reduce::params;
} // namespace wgrad_reduce

// Throws an error that names a field whose value is out of its range.
void check(problem const&);

// A short name of a problem for a profiler's list: 32n_64c_64h_64w_1py_1px_3r_3s_nb has the sizes,
// the padding (1py_1px), and b or nb for with or without a bias. Options that differ from the
// default follow: strides _2sy_2sx, dilations _2dy_2dx, and _bf16_silu_scale_res_pre. A size that
// only the launch knows is written as any.
std::string name_of(problem const&);

// "cp_async groups=8 images=1 …"
std::string config_text(config const&);
config parse_config(std::string_view text);
// Whether the kernel takes tensor maps as arguments. The maps follow the plans of the body.
inline bool needs_maps(config const& config) {
    return std::holds_alternative<tma::config>(config) ||
           std::holds_alternative<wgrad_tma::config>(config);
}

// The configurations whose estimated time is at most 1.25 times that of the fastest, which comes
// first. One that was chosen by measurements comes before it if it is among them: that of
// best_wgrad_tma() or best_wgrad_cp_async(), or that of best_tma() if the body tma is estimated to
// be the fastest. Sizes that are known only at launch have values too, which are used here.
std::vector<config> space(problem const&, arch);
// The configuration to use if the caller names none: that which choose() chooses.
config best_config(problem const&, arch, config_source const& = default_config_source());

// The configuration of one body that is expected to be the fastest: by measurements on an H200, and
// by rules that follow from them.
tma::config best_tma(problem const&); // throws for dgrad with strides that the body does not make
wgrad_cp_async::config best_wgrad_cp_async(problem const&, arch);
wgrad_tma::config best_wgrad_tma(problem const&, arch);

// A generic kernel is made for any_layer: it knows only the filter's sizes when it is compiled; n,
// h, w, c and the padding come with the launch. There is one for a problem whose strides are 1,
// without an epilogue.
bool has_generic(problem const&);
// The problem of the generic kernel that computes this one. It has a bias wherever the pass knows
// one; a launch without a bias passes none.
problem generic_problem(problem const&);
// The configurations of generic kernels, with the splits that suit the problem: few, so that all of
// them can be shipped. best_config() of a problem made for any_layer is the one that is estimated
// to be the fastest.
std::vector<config> generic_configs(problem const&, arch);

// The estimated time and its parts. Throws if the configuration does not fit the problem.
estimate explain(problem const&, config const&, arch);

// A kernel for fprop or dgrad, and the blocks of its launches. For the body tma, make the tensor
// maps from the plans of tma, for the tensors in the arguments.
typed_spec<cp_async::params> specialize(problem const&, cp_async::config const&, arch);
typed_spec<tma::params> specialize(problem const&, tma::config const&, arch);

// wgrad launches two kernels: the first computes partial sums over splits of the rows, the second
// adds them up. Both get the same workspace, which need not be cleared, and which nothing else may
// use until the second has ended. Where a cluster of blocks adds them, or there is one split, there
// is one kernel, and no workspace.
template <class Params> struct gradient_specs {
    typed_spec<Params> partial_sums;
    std::vector<typed_spec<wgrad_reduce::params>> reduction; // one, or none
    long long workspace_bytes;
};
gradient_specs<wgrad_cp_async::params> specialize_gradient(problem const&,
                                                           wgrad_cp_async::config const&, arch);
gradient_specs<wgrad_tma::params> specialize_gradient(problem const&, wgrad_tma::config const&,
                                                      arch);
// The kernels of any pass, in the order of their launches.
std::vector<spec> specs_of(problem const&, config const&, arch);

// The grid of a launch, in blocks. Throws if there are none, or too many.
extent grid(problem const&, config const&);
// The reduction of wgrad's partial sums: its grid, and the parameters that say how much there is to
// reduce; the caller adds the addresses.
struct reduction_launch {
    extent grid;
    wgrad_reduce::params params;
    long long workspace_bytes;
};
reduction_launch reduction(problem const&, config const&);
// The problem that a launch with these arguments solves, by a kernel that was compiled for
// `compiled_problem`, which may leave sizes open. Throws if the kernel cannot take the arguments;
// they are not checked again later.
template <class T> problem problem_of(problem const& compiled_problem, correlation_args<T> const&);
template <class T>
problem problem_of(problem const& compiled_problem, correlation_args<T> const&,
                   epilogue_args<T> const&);
template <class Gradient, class T>
problem problem_of(problem const& compiled_problem, wgrad_args<Gradient, T> const&);

family const& family_entry();

// The headers of conv2d's kernels, as they were when the library was built.
std::span<header const> kernel_text();

} // namespace spio::conv2d

namespace spio::conv2d {

// Throws if a side of the image with its padding is shorter than the filter's, or exceeds INT_MAX.
void check_sides(problem const&);
// Throws because of a problem that the body tma does not make.
[[noreturn]] void refuse_tma(problem const&);
// Throws if a field is out of its range, or if the configuration does not fit the problem.
void check(problem const&, config const&);
// explain() of a problem and a configuration that were checked.
estimate estimated(problem const&, config const&, arch);
// The number of splits of a weight gradient for about `blocks` blocks in all, in steps of so many
// images and columns of dy.
int split_count(problem const&, int images, int columns, int slices, int blocks);
// A number of blocks as the extent of a grid. Throws if it does not fit into x, an int.
extent grid_of(problem const&, long long blocks);
// The reduction of partial sums, by as many readers as a kernel for the problem has.
wgrad_reduce::config reduction_for(problem const&, int groups_of_block, int splits, bool overlaps);
int blocks_of_sm(problem const&, tma::config const&); // that an H200's holds at once
// The table of measured configurations, models/conv2d.txt, and the learned models.
std::string_view measured_text();
std::span<std::string_view const> model_texts();

} // namespace spio::conv2d

export namespace spio {

template <> struct enumerator_table<conv2d::direction> {
    static constexpr std::string_view type = "spio::conv2d::direction";
    static constexpr std::array<std::string_view, 3> names = {"fprop", "dgrad", "wgrad"};
};
template <> struct enumerator_table<conv2d::known_sizes> {
    static constexpr std::string_view type = "spio::conv2d::known_sizes";
    static constexpr std::array<std::string_view, 4> names = {"all", "any_n", "any_image",
                                                              "any_layer"};
};
template <> struct enumerator_table<conv2d::precision> {
    static constexpr std::string_view type = "spio::conv2d::precision";
    static constexpr std::array<std::string_view, 3> names = {"fp32", "fp16", "bf16"};
};
template <> struct enumerator_table<conv2d::element_type> {
    static constexpr std::string_view type = "spio::conv2d::element_type";
    static constexpr std::array<std::string_view, 2> names = {"fp16", "bf16"};
};
template <> struct enumerator_table<conv2d::activation> {
    static constexpr std::string_view type = "spio::conv2d::activation";
    static constexpr std::array<std::string_view, 4> names = {"none", "relu", "silu", "gelu"};
};
// The fields of a problem, as text names them, and their bounds ({}: none). An optional field may
// be left out when text is read; an implied one is also left out when text is written, if it has
// its default value.
template <> struct field_table<conv2d::problem> {
    using problem = conv2d::problem;
    static constexpr bound one_or_two = {.least = 1, .most = 2};
    // A field has a name, a member, the bounds of a number, and whether it may be left out; texts
    // that are written leave out an implied one that has its default.
    static constexpr auto fields =
        std::tuple(field{"n", &problem::n, {.least = 1}},
                   field{"c", &problem::c, {.least = 8, .most = INT_MAX - 7, .multiple_of = 8}},
                   field{"h", &problem::h, {.least = 1}}, field{"w", &problem::w, {.least = 1}},
                   field{"r", &problem::r, {.least = 1, .most = 7}, presence::optional},
                   field{"s", &problem::s, {.least = 1, .most = 7}, presence::optional},
                   field{"pad_h", &problem::pad_h, {.least = 0}, presence::optional},
                   field{"pad_w", &problem::pad_w, {.least = 0}, presence::optional},
                   field{"bias", &problem::bias, {}, presence::optional},
                   field{"pass", &problem::pass, {}, presence::optional},
                   field{"made_for", &problem::made_for, {}, presence::optional},
                   field{"gradient", &problem::gradient, {}, presence::optional},
                   field{"type", &problem::type, {}, presence::implied},
                   field{"stride_h", &problem::stride_h, one_or_two, presence::implied},
                   field{"stride_w", &problem::stride_w, one_or_two, presence::implied},
                   field{"dilation_h", &problem::dilation_h, one_or_two, presence::implied},
                   field{"dilation_w", &problem::dilation_w, one_or_two, presence::implied},
                   field{"activation", &problem::activation, {}, presence::implied},
                   field{"scale", &problem::scale, {}, presence::implied},
                   field{"residual", &problem::residual, {}, presence::implied},
                   field{"preactivation", &problem::preactivation, {}, presence::implied});
};

template <> struct field_table<conv2d::cp_async::config> {
    using config = conv2d::cp_async::config;
    static constexpr auto fields =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 32}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 512, .multiple_of = 8}},
                   field{"rows", &config::rows, {.least = 1, .most = 1 << 20}},
                   field{"mma_tiles", &config::mma_tiles, {.least = 1, .most = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 16}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 32}},
                   field{"unrolled", &config::unrolled, {}, presence::optional});
};

template <> struct field_table<conv2d::tma::config> {
    using config = conv2d::tma::config;
    static constexpr auto fields = std::tuple(
        field{"groups", &config::groups, {.least = 1, .most = conv2d::most_groups_of_tile}},
        field{"images", &config::images, {.least = 1, .most = 64}},
        field{"columns", &config::columns, {.least = 8, .most = 256, .multiple_of = 8}},
        field{"rows", &config::rows, {.least = 1, .most = 256}},
        field{"tiles_per_block", &config::tiles_per_block, {.least = 1, .most = 64}},
        field{"blocks", &config::blocks, {.least = 0, .most = 32}},
        field{"whole_rows", &config::whole_rows, {}, presence::implied});
};

template <> struct field_table<conv2d::wgrad_cp_async::config> {
    using config = conv2d::wgrad_cp_async::config;
    static constexpr auto fields =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 32}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 512, .multiple_of = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 64}},
                   field{"splits", &config::splits, {.least = 1, .most = 1 << 16}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 16}});
};
template <> struct field_table<conv2d::wgrad_tma::config> {
    using config = conv2d::wgrad_tma::config;
    static constexpr auto fields = std::tuple(
        field{"groups", &config::groups, {.least = 1, .most = conv2d::most_groups_of_tile}},
        field{"images", &config::images, {.least = 1, .most = 256}},
        field{"columns", &config::columns, {.least = 8, .most = 248, .multiple_of = 8}},
        field{"stages", &config::stages, {.least = 2, .most = 64}},
        field{"splits", &config::splits, {.least = 1, .most = 1 << 16}},
        field{"whole_images", &config::whole_images},
        field{"cluster",
              &config::cluster,
              {.least = 1, .most = config::most_cluster},
              presence::implied},
        field{"parts", &config::parts, {.least = 1, .most = 2}, presence::implied});
};
template <> struct field_table<conv2d::wgrad_reduce::config> {
    using config = conv2d::wgrad_reduce::config;
    static constexpr auto fields =
        std::tuple(field{"splits", &config::splits, {.least = 1}},
                   field{"groups", &config::groups, {.least = 1}},
                   field{"readers", &config::readers, {.least = 1, .most = 256}},
                   field{"overlaps", &config::overlaps});
};

} // namespace spio
