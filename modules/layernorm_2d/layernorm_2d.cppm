// LayerNorm over the channels of images: its problems, how they are specialized, what comes out.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the number of channels and whether there are a weight and a bias; a configuration is
// how threads share positions, which are pixels with all their channels. A spec is what a kernel is
// compiled from: its text for both, and an architecture. A config_source finds measured
// configurations; without one the family, the kernels and code of one operation, chooses. A
// typed_spec is a spec with the type of its parameters.
module;

#include "layernorm_2d/problem.h"

#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

export module spio.layernorm_2d;

import spio.spec;

export namespace spio {
using spio::bfloat16;
using spio::half;
} // namespace spio

export namespace spio::layernorm_2d {

using layernorm_2d::best_config;
using layernorm_2d::C;
using layernorm_2d::config;
using layernorm_2d::element_type;
using layernorm_2d::factors_to_read;
using layernorm_2d::images, layernorm_2d::images_of;
using layernorm_2d::params, layernorm_2d::params_of;
using layernorm_2d::problem;
using layernorm_2d::X;

// The kernel for a problem: with this configuration, or with the one that a config_source has for
// it, or else best_config(). T is half or bfloat16. Throws unless it is the type of the problem.
template <class T = half> typed_spec<params_of<T>> specialize(problem const&, config const&, arch);
template <class T = half>
typed_spec<params_of<T>> specialize(problem const&, arch,
                                    config_source const& = default_config_source());
// The blocks of a launch for a number of positions. A grid of zero blocks cannot be launched, so 0
// positions get one block, which does nothing.
constexpr extent grid(config const& c, int positions) {
    return {c.blocks(positions) > 0 ? c.blocks(positions) : 1};
}

// How a line of a manifest (a list of kernels), such as "layernorm_2d channels=64", becomes specs.
family const& family_entry();

// The headers of LayerNorm's kernel, as they were when the library was built.
std::span<header const> kernel_text();

// The result y, computed in double. x has the bits of the problem's elements: the channels of each
// position, one position after the other. Without affine, weight and bias are empty.
std::vector<double> reference(problem const&, std::span<unsigned short const> x,
                              std::span<float const> weight, std::span<float const> bias,
                              float epsilon);
// The number that the bits of an element stand for.
double number_of(unsigned short bits, element_type = element_type::fp16);

} // namespace spio::layernorm_2d

namespace spio {

template <> struct enumerator_table<layernorm_2d::element_type> {
    static constexpr std::string_view type = "spio::layernorm_2d::element_type";
    static constexpr std::array<std::string_view, 2> names = {"fp16", "bf16"};
};
template <> struct field_table<layernorm_2d::problem> {
    using problem = layernorm_2d::problem;
    // A field has a name, a member, the bounds of a number, and whether it may be left out; texts
    // that are written leave out an implied one that has its default.
    static constexpr auto fields = std::tuple(
        field{"channels", &problem::channels, {.least = 8, .most = 2048, .multiple_of = 8}},
        field{"affine", &problem::affine, {}, presence::optional},
        field{"type", &problem::type, {}, presence::implied});
};
template <> struct field_table<layernorm_2d::config> {
    using config = layernorm_2d::config;
    static constexpr auto fields =
        std::tuple(field{"lanes", &config::lanes, {.least = 1, .most = 1024}},
                   field{"vectors", &config::vectors, {.least = 1, .most = 256}},
                   field{"positions", &config::positions, {.least = 1, .most = 1024}},
                   field{"stages", &config::stages, {.least = 1, .most = 16}},
                   field{"rounds", &config::rounds, {.least = 1, .most = 1024}});
};

} // namespace spio
