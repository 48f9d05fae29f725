// Checks and names problems of grouped convolution, and chooses their configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of four kernel templates, a config the configuration of one of them. A spec is what a
// kernel is compiled from; a family is all kernels of one operation. A config_source finds measured
// configurations; without one the family chooses. A residual is a tensor that is added to the
// output, a preactivation the value before the activation, of which dgrad takes the derivative.
// has_static_n() says whether the number of images, has_static_image() whether the height and
// width, has_static_layer() whether the channels and the padding are known when a kernel is
// compiled.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import :misfit;
import spio.spec;

namespace spio::conv2d {

namespace {

[[noreturn]] void refuse(problem const& problem, std::string reason) {
    throw error(error_kind::invalid, "check", "conv2d " + text_of(problem), std::move(reason));
}

// One side of an image: its size, the filter's taps along it and what they extend over, and the
// padding at both ends.
struct side {
    char const *size_name, *taps_name, *padding_name;
    int size, taps, extent, padding;
};
// Throws if the filter does not fit into the padded side, or the side into an int.
void check_side(problem const& problem, side const& side) {
    long long const padded = side.size + 2LL * side.padding;
    auto const fail = [&](std::string const& bound) {
        refuse(problem, std::string(side.size_name) + " + 2 " + side.padding_name + " is " +
                            std::to_string(padded) + ", but must be " + bound);
    };
    if (padded < side.extent) {
        std::string const taps = side.taps_name;
        fail("at least " + (side.extent == side.taps ? taps : "2 " + taps + " - 1") + ", " +
             std::to_string(side.extent));
    }
    if (padded > INT_MAX) fail("at most " + std::to_string(INT_MAX));
}

// Names all fields of an epilogue that the pass does not take.
void check_epilogue(problem const& problem) {
    bool const is_forward = problem.pass == direction::fprop;
    bool const is_wgrad = problem.pass == direction::wgrad;
    std::string refused;
    auto const refuse_field = [&](bool is_refused, std::string_view field) {
        if (is_refused) refused.append(refused.empty() ? "" : ", ").append(field);
    };
    refuse_field(problem.bias && !is_forward && !is_wgrad, "bias is true");
    if (is_wgrad && problem.activation != activation::none) {
        refuse_field(true, "activation is " + enumerator_name(problem.activation));
    }
    refuse_field(problem.scale && !is_forward, "scale is true");
    refuse_field(problem.residual && !is_forward, "residual is true");
    refuse_field(problem.preactivation && !is_forward, "preactivation is true");
    if (!refused.empty()) {
        refuse(problem, refused + ", but " + enumerator_name(problem.pass) + " has none");
    }
    bool const is_output = problem.activation == activation::none && !problem.residual;
    if (problem.preactivation && is_output) {
        refuse(problem, "preactivation is true, but without an activation or a residual it is the "
                        "output itself");
    }
}

} // namespace

void refuse_tma(problem const& problem) {
    throw error(error_kind::unsupported, "configure", "conv2d " + text_of(problem),
                "of dgrad with a stride of 2, the body tma takes only dilations of 1, paddings "
                "below r and s and, if stride_w is 2, an odd s of at least 3; cp_async takes all");
}

void check_sides(problem const& problem) {
    check_side(problem, {.size_name = "h",
                         .taps_name = "r",
                         .padding_name = "pad_h",
                         .size = problem.h,
                         .taps = problem.r,
                         .extent = problem.extent_h(),
                         .padding = problem.pad_h});
    check_side(problem, {.size_name = "w",
                         .taps_name = "s",
                         .padding_name = "pad_w",
                         .size = problem.w,
                         .taps = problem.s,
                         .extent = problem.extent_w(),
                         .padding = problem.pad_w});
}

void check(problem const& problem) {
    spio::check("conv2d", problem);
    check_sides(problem);
    if (!problem.has_static_layer() && !has_generic(problem)) {
        refuse(problem,
               "made_for is any_layer, so the strides must be 1, there is no epilogue, and "
               "c is at most " +
                   std::to_string(most_channels_of_any_layer));
    }
    check_epilogue(problem);
    if (problem.gradient != precision::fp32 && problem.pass != direction::wgrad) {
        refuse(problem, "gradient is " + enumerator_name(problem.gradient) + ", but " +
                            enumerator_name(problem.pass) + " makes no weight gradient");
    }
    if (problem.gradient != precision::fp32 && problem.gradient != precision_of(problem.type)) {
        refuse(problem, "gradient is " + enumerator_name(problem.gradient) +
                            ", but must be fp32 or the type, " + enumerator_name(problem.type));
    }
}

void check(problem const& problem, config const& config) {
    check(problem);
    bool const is_tma = std::holds_alternative<tma::config>(config);
    if (is_tma && problem.pass == direction::dgrad && !tma::config::has_pass(problem)) {
        refuse_tma(problem);
    }
    std::visit(
        [&](auto const& body_config) {
            spio::check("conv2d", body_config);
            if (body_config.fits(problem)) return;
            throw error(error_kind::invalid, "specialize", "conv2d " + text_of(problem),
                        "the configuration " + config_text(config) +
                            " does not fit: " + misfit(problem, body_config).text());
        },
        config);
}

// py and px are the padding of rows and columns, b or nb: with or without bias.
std::string name_of(problem const& problem) {
    auto const part = [](int value, char const* unit, bool is_known = true) {
        return (is_known ? std::to_string(value) : "any") + unit;
    };
    return part(problem.n, "n_", problem.has_static_n()) +
           part(problem.c, "c_", problem.has_static_layer()) +
           part(problem.h, "h_", problem.has_static_image()) +
           part(problem.w, "w_", problem.has_static_image()) +
           part(problem.pad_h, "py_", problem.has_static_layer()) +
           part(problem.pad_w, "px_", problem.has_static_layer()) + part(problem.r, "r_") +
           part(problem.s, "s_") + (problem.bias ? "b" : "nb") +
           (problem.stride_h == 2 ? "_2sy" : "") + (problem.stride_w == 2 ? "_2sx" : "") +
           (problem.dilation_h == 2 ? "_2dy" : "") + (problem.dilation_w == 2 ? "_2dx" : "") +
           (problem.type == element_type::bf16 ? "_bf16" : "") +
           (problem.activation == activation::none ? ""
                                                   : "_" + enumerator_name(problem.activation)) +
           (problem.scale ? "_scale" : "") + (problem.residual ? "_res" : "") +
           (problem.preactivation ? "_pre" : "");
}

namespace {

constexpr std::array<std::string_view, std::variant_size_v<config>> bodies = {
    "cp_async", "tma", "wgrad_cp_async", "wgrad_tma"};

template <std::size_t Body> config parse_body(std::string_view text) {
    return parse<std::variant_alternative_t<Body, config>>(bodies[Body], text);
}
constexpr auto parsers = std::array{parse_body<0>, parse_body<1>, parse_body<2>, parse_body<3>};

} // namespace

std::string config_text(config const& config) {
    return std::visit(
        [&](auto const& body_config) {
            return std::string(bodies[config.index()]) + " " + text_of(body_config);
        },
        config);
}

config parse_config(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    auto const body = text.substr(0, text.find(' '));
    auto const index = std::ranges::find(bodies, body) - bodies.begin();
    if (index == std::ssize(bodies)) {
        throw error(error_kind::invalid, "parse", "conv2d",
                    "the body is " + std::string(body) +
                        ", but must be cp_async, tma, wgrad_cp_async or wgrad_tma");
    }
    return parsers[static_cast<std::size_t>(index)](text.substr(body.size()));
}

family const& family_entry() {
    static constexpr family entry = {
        "conv2d",
        [](std::string_view text, arch arch, config_source const& configs) {
            auto const problem = parse<conv2d::problem>("conv2d", text);
            return specs_of(problem, best_config(problem, arch, configs), arch);
        },
        kernel_text};
    return entry;
}

} // namespace spio::conv2d
