// Grouped convolution: its problems, how they are specialized, and what comes out.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"

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
import :chip;
export import :reference;
export import :wgrad;

export namespace spio {
using spio::half;
}

export namespace spio::conv2d {

using conv2d::direction;
using conv2d::group_width;
using conv2d::precision;
using conv2d::problem;
using conv2d::known_sizes;
using conv2d::correlation;
using conv2d::correlation_of;

using conv2d::bias_of;
using conv2d::filter_of;
using conv2d::FLOAT;
using conv2d::floats;
using conv2d::output_tensor;
using conv2d::input_tensor;
using conv2d::correlation_args;
using conv2d::wgrad_args;
using conv2d::C;
using conv2d::H;
using conv2d::K;
using conv2d::N;
using conv2d::P;
using conv2d::Q;
using conv2d::R;
using conv2d::S;
using conv2d::W;

namespace cp_async {
using cp_async::config;
using cp_async::params;
} // namespace cp_async

namespace tma {
using tma::best_config;
using tma::config;
using tma::params;
using tma::output_plan;
using tma::input_plan;
} // namespace tma

// Throws which field is not what it may be, and what it may be.
void check(problem const&);

// A problem as a profiler's list has it: 32n_64c_64h_64w_1py_1px_3r_3s_nb; what the launch brings
// is any.
std::string name_of(problem const&);

// How one of the bodies does it: the first two are for fprop and dgrad, the others for wgrad.
using config =
    std::variant<cp_async::config, tma::config, wgrad_cp_async::config, wgrad_tma::config>;

// As "cp_async groups=8 images=1 …".
std::string words_of(config const&);
config config_of(std::string_view words);
// Whether launches bring maps for the copy engine, by the plans of the body.
inline bool needs_maps(config const& by) {
    return std::holds_alternative<tma::config>(by) || std::holds_alternative<wgrad_tma::config>(by);
}

// The configurations worth a trial, best first as estimated, and the first of them. Where the
// launch brings the sizes, for those that the problem has nevertheless.
std::vector<config> space(problem const&, arch);
config best_config(problem const&, arch);

// What the estimate is made of, in microseconds, and of what it comes: "42.1 us: …".
struct estimate {
    double microseconds = 0;
    double bytes = 0;   // to and from memory, each tensor once
    double traffic = 0; // microseconds, to and from memory and the cache before it
    double arithmetic = 0;
    double latency = 0;
    int blocks_per_processor = 0;
    double waves = 0;

    std::string explained() const;
};
estimate explain(problem const&, config const&, arch);

// A specialization of fprop or dgrad, and the blocks of a launch of it.
spec_of<cp_async::params> specialize(problem const&, cp_async::config const&, arch);
// On chips with a copy engine. Its maps are those of the plans, for the tensors of the arguments.
spec_of<tma::params> specialize(problem const&, tma::config const&, arch);
extent grid(problem const&, config const&);
// The problem that a launch brings; throws if it is not one that the kernel was made for.
problem problem_of(problem const& made_for, correlation_args const&);
template <class Gradient> problem problem_of(problem const& made_for, wgrad_args<Gradient> const&);
// The kernels of any pass, in the order of their launches.
std::vector<spec> specs_of(problem const&, config const&, arch);

family const& in_words();

// The headers of the family, as they were when the library was built.
std::span<header const> kernel_text();

} // namespace spio::conv2d

namespace spio::conv2d {

// The blocks of a launch: an int counts them.
extent grid_of(problem const&, long long blocks);

} // namespace spio::conv2d

export namespace spio {

template <> struct enumerators_of<conv2d::direction> {
    static constexpr std::string_view type = "spio::conv2d::direction";
    static constexpr std::array<std::string_view, 3> all = {"fprop", "dgrad", "wgrad"};
};
template <> struct enumerators_of<conv2d::known_sizes> {
    static constexpr std::string_view type = "spio::conv2d::known_sizes";
    static constexpr std::array<std::string_view, 3> all = {"all", "any_n", "any_image"};
};
template <> struct enumerators_of<conv2d::precision> {
    static constexpr std::string_view type = "spio::conv2d::precision";
    static constexpr std::array<std::string_view, 2> all = {"fp32", "fp16"};
};
template <> struct fields_of<conv2d::problem> {
    using problem = conv2d::problem;
    static constexpr auto all =
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
                   field{"gradient", &problem::gradient, {}, presence::optional});
};

template <> struct fields_of<conv2d::cp_async::config> {
    using config = conv2d::cp_async::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 32}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 512, .multiple_of = 8}},
                   field{"rows", &config::rows, {.least = 1, .most = 1 << 20}},
                   field{"tiles", &config::tiles, {.least = 1, .most = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 16}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 32}},
                   field{"unrolled", &config::unrolled, {}, presence::optional});
};

template <> struct fields_of<conv2d::tma::config> {
    using config = conv2d::tma::config;
    static constexpr auto all =
        std::tuple(field{"groups", &config::groups, {.least = 1, .most = 8}},
                   field{"images", &config::images, {.least = 1, .most = 64}},
                   field{"columns", &config::columns, {.least = 8, .most = 256, .multiple_of = 8}},
                   field{"rows", &config::rows, {.least = 1, .most = 256}},
                   field{"strips", &config::strips, {.least = 1, .most = 64}},
                   field{"blocks", &config::blocks, {.least = 0, .most = 32}});
};

} // namespace spio
