// What launches of convolutions take: parameters with stand-ins for pointers, and tensor maps.
// SPDX-License-Identifier: Apache-2.0
//
// export.cpp includes it, after the modules that it needs and the type json. fprop is the forward
// pass, dgrad computes the gradient of the input, wgrad that of the filter. The first two are
// correlations. A body is one of four kernel templates, named after how it copies. A residual is a
// tensor that is added to the output, a preactivation the value before the activation, of which
// dgrad takes the derivative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spio::conv2d {

// Stand for the pointers of a launch: they are found in its parameters, and replaced there. Nothing
// else in the parameters has such a value.
inline std::map<std::string, std::uint64_t> const stand_ins = {
    {"input", 0x7fa1'c0de'0000'0100},        {"filter", 0x7fa2'c0de'0000'0200},
    {"bias", 0x7fa3'c0de'0000'0300},         {"output", 0x7fa4'c0de'0000'0400},
    {"dy", 0x7fa5'c0de'0000'0500},           {"dw", 0x7fa6'c0de'0000'0600},
    {"dbias", 0x7fa7'c0de'0000'0700},        {"workspace", 0x7fa8'c0de'0000'0800},
    {"scale", 0x7fa9'c0de'0000'0900},        {"residual", 0x7faa'c0de'0000'0a00},
    {"preactivation", 0x7fab'c0de'0000'0b00}};
// The address that stands for a tensor, for which the launch puts the true one.
template <class T> T* stand_in(char const* name) {
    return reinterpret_cast<T*>(stand_ins.at(name));
}

// The tensors of fprop or dgrad, with such addresses.
inline correlation_args<element_bits> arguments_of(problem const& p) {
    correlation const correlation = correlation_of(p);
    return {.input = input_of<element_bits const>(stand_in<element_bits const>("input"), N(p.n),
                                                  H(correlation.h), W(correlation.w), C(p.c)),
            .filter = filter_of<element_bits const>(stand_in<element_bits const>("filter"), K(p.c),
                                                    R(p.r), S(p.s)),
            .bias = bias_of<float const>(p.bias ? stand_in<float const>("bias") : nullptr,
                                         K(p.bias ? p.c : 0)),
            .output = output_of<element_bits>(stand_in<element_bits>("output"), N(p.n),
                                              P(correlation.p), Q(correlation.q), K(p.c))};
}
// The same, or null where the problem has no such tensor.
template <class T> T* stand_in_if(bool exists, char const* name) {
    return exists ? stand_in<T>(name) : nullptr;
}
// The parameters of each body's kernel, with such addresses.
inline cp_async::params params_of(problem const& p, cp_async::config const&) {
    bool const has_preactivation = p.preactivation || p.has_derivative();
    return {.args = arguments_of(p),
            .epilogue = {.scale = stand_in_if<float const>(p.scale, "scale"),
                         .residual = stand_in_if<void const>(p.residual, "residual"),
                         .preactivation = stand_in_if<void>(has_preactivation, "preactivation")}};
}
inline tma::params params_of(problem const& p, tma::config const&) {
    return {.input = {},
            .output = {},
            .args = arguments_of(p),
            .scale = stand_in_if<float const>(p.scale, "scale")};
}
inline wgrad_cp_async::params params_of(problem const& p, wgrad_cp_async::config const&) {
    return {.x = stand_in<void const>("input"),
            .dy = stand_in<void const>("dy"),
            .workspace = stand_in<vec<float, 4>>("workspace"),
            .sizes = wgrad::sizes_passed(p),
            .dw = stand_in<void>("dw"),
            .dbias = stand_in_if<float>(p.bias, "dbias")};
}
inline wgrad_tma::params params_of(problem const& p, wgrad_tma::config const&) {
    return {.x = {},
            .dy = {},
            .x_rows = stand_in<void const>("input"),
            .dy_rows = stand_in<void const>("dy"),
            .workspace = stand_in<vec<float, 4>>("workspace"),
            .sizes = wgrad::sizes_passed(p),
            .dw = stand_in<void>("dw"),
            .dbias = stand_in_if<float>(p.bias, "dbias")};
}
// Those of the kernel that adds the partial sums of wgrad.
inline wgrad_reduce::params params_of_sum(problem const& p) {
    return {.workspace = stand_in<vec<float, 4> const>("workspace"),
            .dw = stand_in<void>("dw"),
            .dbias = p.bias ? stand_in<float>("dbias") : nullptr};
}

// A tensor map that is encoded for a launch: of which tensor, and its offset among the parameters.
inline json described(char const* tensor, std::size_t offset, tensor_map_plan const& plan) {
    auto const first = [&](auto const& numbers) {
        return json(std::vector(numbers, numbers + plan.rank));
    };
    return {{"tensor", tensor},           {"offset", offset},
            {"sizes", first(plan.sizes)}, {"strides", first(plan.strides)},
            {"box", first(plan.box)},     {"swizzle", plan.swizzle},
            {"fetched", plan.fetched}};
}
// The tensor maps of a launch; kernels without TMA have none.
template <class Config> json maps_of(problem const&, Config const&) { return json::array(); }
inline json maps_of(problem const& p, tma::config const& config) {
    auto const input_plan = tma::input_plan(p, config), output_plan = tma::output_plan(p, config);
    json maps = json::array();
    auto const add = [&](bool exists, char const* name, std::size_t offset, auto const& plan) {
        if (exists) maps.push_back(described(name, offset, plan));
    };
    add(!config.whole_rows, "input", offsetof(tma::params, input), input_plan);
    add(!config.whole_rows, "output", offsetof(tma::params, output), output_plan);
    add(p.residual, "residual", offsetof(tma::params, residual), output_plan);
    add(p.preactivation, "preactivation", offsetof(tma::params, preactivation), output_plan);
    add(p.has_derivative(), "preactivation", offsetof(tma::params, preactivation), input_plan);
    return maps;
}
inline json maps_of(problem const& p, wgrad_tma::config const& config) {
    return {described("input", offsetof(wgrad_tma::params, x), wgrad_tma::x_plan(p, config)),
            described("dy", offsetof(wgrad_tma::params, dy), wgrad_tma::dy_plan(p, config))};
}

} // namespace spio::conv2d
