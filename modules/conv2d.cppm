// Grouped convolution: its problems, how they are specialized, and what comes out.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d.h"

#include <array>
#include <climits>
#include <string>
#include <string_view>
#include <tuple>

export module spio.conv2d;

import spio.spec;
export import :reference;

export namespace spio {
using spio::half;
}

export namespace spio::conv2d {

using conv2d::direction;
using conv2d::precision;
using conv2d::problem;
using conv2d::scope;
using conv2d::walk;
using conv2d::walk_arguments;
using conv2d::walk_of;
using conv2d::wgrad_arguments;

// Throws which field is not what it may be, and what it may be.
void check(problem const&);

// A problem as a profiler's list has it: 32n_64c_64h_64w_1py_1px_3r_3s_nb; what the launch brings
// is any.
std::string name_of(problem const&);

} // namespace spio::conv2d

export namespace spio {

template <> struct enumerators_of<conv2d::direction> {
    static constexpr std::string_view type = "spio::conv2d::direction";
    static constexpr std::array<std::string_view, 3> all = {"fprop", "dgrad", "wgrad"};
};
template <> struct enumerators_of<conv2d::scope> {
    static constexpr std::string_view type = "spio::conv2d::scope";
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

} // namespace spio
