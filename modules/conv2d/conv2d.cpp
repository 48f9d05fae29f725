// Checks, names and specializes problems of grouped convolution.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import spio.spec;
import :chip;

namespace spio::conv2d {

namespace {

// The rows or columns of an image, those of the filter, and the padding on either side.
void check_side(problem const& of, char const* image, int size, char const* filter, int taps,
                char const* pad, int padding) {
    long long const padded = size + 2LL * padding;
    auto const fail = [&](std::string bound) {
        throw error(error_kind::invalid, "check", "conv2d " + text_of(of),
                    std::string(image) + " + 2 " + pad + " is " + std::to_string(padded) +
                        ", but must be " + bound);
    };
    if (padded < taps) fail("at least " + std::string(filter) + ", " + std::to_string(taps));
    if (padded > INT_MAX) fail("at most " + std::to_string(INT_MAX));
}
void check_sides(problem const& of) {
    check_side(of, "h", of.h, "r", of.r, "pad_h", of.pad_h);
    check_side(of, "w", of.w, "s", of.s, "pad_w", of.pad_w);
}

} // namespace

void check(problem const& of) {
    spio::check("conv2d", of);
    check_sides(of);
    if (of.bias && of.pass == direction::dgrad) {
        throw error(error_kind::invalid, "check", "conv2d " + text_of(of),
                    "bias is true, but dgrad has none");
    }
    if (of.gradient == precision::fp16 && of.pass != direction::wgrad) {
        throw error(error_kind::invalid, "check", "conv2d " + text_of(of),
                    "gradient is fp16, but " + word_of(of.pass) + " makes no weight gradient");
    }
}

std::string name_of(problem const& of) {
    auto const part = [](int value, char const* of_what, bool is_known = true) {
        return (is_known ? std::to_string(value) : "any") + of_what;
    };
    return part(of.n, "n_", of.knows_n()) + part(of.c, "c_") + part(of.h, "h_", of.knows_image()) +
           part(of.w, "w_", of.knows_image()) + part(of.pad_h, "py_") + part(of.pad_w, "px_") +
           part(of.r, "r_") + part(of.s, "s_") + (of.bias ? "b" : "nb");
}

namespace {

constexpr std::array<std::string_view, std::variant_size_v<config>> bodies = {
    "cp_async", "tma", "wgrad_cp_async", "wgrad_tma"};

template <std::size_t Body> config config_by(std::string_view words) {
    return parse<std::variant_alternative_t<Body, config>>(bodies[Body], words);
}
constexpr auto parsers = std::array{config_by<0>, config_by<1>, config_by<2>, config_by<3>};

} // namespace

std::string words_of(config const& by) {
    return std::visit(
        [&](auto const& c) { return std::string(bodies[by.index()]) + " " + text_of(c); }, by);
}
config config_of(std::string_view words) {
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
    auto const body = words.substr(0, words.find(' '));
    auto const at = std::ranges::find(bodies, body) - bodies.begin();
    if (at == std::ssize(bodies)) {
        throw error(error_kind::invalid, "parse", "conv2d",
                    "the body is " + std::string(body) +
                        ", but must be cp_async, tma, wgrad_cp_async or wgrad_tma");
    }
    return parsers[static_cast<std::size_t>(at)](words.substr(body.size()));
}

extent grid_of(problem const& of, long long blocks) {
    if (blocks < 1 || blocks > INT_MAX) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(of),
                    std::to_string(blocks) + " blocks are needed, of at least 1 and at most " +
                        std::to_string(INT_MAX));
    }
    return {static_cast<int>(blocks)};
}

namespace {

template <class... Ds, class Tensor> std::string sizes_of(Tensor const& t) {
    std::string text;
    ((text += (text.empty() ? "" : " x ") + std::to_string(t.template extent<Ds>().get())), ...);
    return text;
}
// Vectors of 16 bytes are read and written there.
void expect_place(problem const& of, char const* name, void const* place) {
    auto const at = reinterpret_cast<std::uintptr_t>(place);
    if (at == 0 || at % 16 != 0) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(of),
                    std::string(name) +
                        (at == 0 ? " is not there" : " begins at no multiple of 16 bytes"));
    }
}
// What a launch may bring; only what may not be is put into words.
void check_image(problem const& of) {
    if (of.h < 1 || of.w < 1) check(of);
    check_sides(of);
}
bool knows(problem const& made_for, problem const& of) {
    return of.n > 0 && of.has_outputs() && (!made_for.knows_n() || of.n == made_for.n) &&
           (!made_for.knows_image() || (of.h == made_for.h && of.w == made_for.w));
}

} // namespace

problem problem_of(problem const& made_for, correlation_args const& args) {
    bool const is_forward = made_for.pass == direction::fprop;
    int const h = is_forward ? args.input.extent<H>().get() : args.output.extent<P>().get();
    int const w = is_forward ? args.input.extent<W>().get() : args.output.extent<Q>().get();
    problem const of = made_for.with(args.output.extent<N>().get(), h, w);
    correlation const correlation = correlation_of(of);
    bool const agrees = args.input.extents() == make_coordinates(N(of.n), H(correlation.h),
                                                                 W(correlation.w), C(of.c)) &&
                        args.output.extents() == make_coordinates(N(of.n), P(correlation.p),
                                                                  Q(correlation.q), K(of.c)) &&
                        args.filter.extent<K>() == K(of.c) && args.filter.extent<R>() == R(of.r) &&
                        args.filter.extent<S>() == S(of.s) &&
                        args.bias.extent<K>() == K(of.bias ? of.c : 0) && knows(made_for, of);
    if (!agrees) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(made_for),
                    "the tensors have other sizes: input " + sizes_of<N, H, W, C>(args.input) +
                        ", output " + sizes_of<N, P, Q, K>(args.output) + ", the filter " +
                        sizes_of<K, R, S>(args.filter) + ", the bias " + sizes_of<K>(args.bias));
    }
    if (!made_for.knows_image()) check_image(of);
    expect_place(of, "the input", args.input.get());
    expect_place(of, "the filter", args.filter.get());
    expect_place(of, "the output", args.output.get());
    if (of.bias) expect_place(of, "the bias", args.bias.get());
    return of;
}

template <class Gradient>
problem problem_of(problem const& made_for, wgrad_args<Gradient> const& is) {
    problem const of =
        made_for.with(is.x.template extent<N>().get(), is.x.template extent<H>().get(),
                      is.x.template extent<W>().get());
    bool const agrees =
        is.x.template extent<C>() == C(of.c) &&
        is.dy.extents() == make_coordinates(N(of.n), P(of.p()), Q(of.q()), K(of.c)) &&
        is.dw.extents() == make_coordinates(K(of.c), R(of.r), S(of.s), C(group_width)) &&
        is.dbias.template extent<K>() == K(of.bias ? of.c : 0) && knows(made_for, of);
    if (!agrees) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(made_for),
                    "the tensors have other sizes: x " + sizes_of<N, H, W, C>(is.x) + ", dy " +
                        sizes_of<N, P, Q, K>(is.dy) + ", dw " + sizes_of<K, R, S>(is.dw) +
                        ", dbias " + sizes_of<K>(is.dbias));
    }
    constexpr auto given = same<Gradient, float> ? precision::fp32 : precision::fp16;
    if (given != made_for.gradient) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(made_for),
                    "dw is of " + word_of(given) + ", but the kernel makes " +
                        word_of(made_for.gradient));
    }
    if (!made_for.knows_image()) check_image(of);
    expect_place(of, "x", is.x.get());
    expect_place(of, "dy", is.dy.get());
    expect_place(of, "dw", is.dw.get());
    expect_place(of, "the workspace", is.workspace.get());
    if (of.bias) expect_place(of, "dbias", is.dbias.get());
    return of;
}
template problem problem_of(problem const&, wgrad_args<float> const&);
template problem problem_of(problem const&, wgrad_args<half> const&);

extent grid(problem const& of, config const& by) {
    return std::visit([&](auto const& c) { return grid_of(of, c.blocks_of(of)); }, by);
}

void expect_chip(problem const& of, arch arch, bool copy_engine, int shared_bytes) {
    auto const fail = [&](std::string why) {
        throw error(error_kind::unsupported, "specialize", "conv2d " + text_of(of), std::move(why));
    };
    if (!arch.is_host && arch.number < 80)
        fail("it takes at least sm_80, and not " + text_of(arch));
    if (copy_engine && !arch.is_host && !chip_of(arch).has_copy_engine) {
        fail("the tma bodies need the TMA engine of sm_90a, and " + text_of(arch) +
             (arch.is_newer_than_known() ? " is newer" : " has none"));
    }
    if (shared_bytes > most_shared(arch)) {
        fail("a block takes " + std::to_string(shared_bytes) +
             " bytes of shared memory, of at most " + std::to_string(most_shared(arch)) + " for " +
             text_of(arch));
    }
}

namespace {

// By the body of that name.
template <class Params, class Config>
spec_of<Params> specialize_body(problem const& of, Config const& by, arch arch,
                                std::string const& body) {
    check(of);
    spio::check("conv2d", by);
    auto const words = body + " " + text_of(by);
    if (!by.fits(of)) {
        throw error(error_kind::invalid, "specialize", "conv2d " + text_of(of),
                    "the configuration " + words + " does not fit");
    }
    expect_chip(of, arch, needs_maps(by), by.shared_bytes(of));
    grid_of(of, by.blocks_of(of));
    return specialized<Params>(
        {.family = "conv2d",
         .prefix = "conv2d_" + word_of(of.pass) + "_" + name_of(of),
         .problem = text_of(of),
         .config = words,
         .arch = arch,
         .arguments = "spio::conv2d::problem" + initializer_of(of.without_unknown()) +
                      ", spio::conv2d::" + body + "::config" + initializer_of(by),
         .shape = {.block = {by.threads(of)},
                   .shared_bytes = by.shared_bytes(of),
                   .overlaps_previous = needs_maps(by)},
         .headers = kernel_text(),
         .body = body,
         .blocks = by.blocks},
        [of, by](Params const& p) {
            problem const brought = problem_of(of, p.args);
            return grid_of(brought, by.blocks_of(brought));
        });
}

} // namespace

spec_of<cp_async::params> specialize(problem const& of, cp_async::config const& by, arch arch) {
    return specialize_body<cp_async::params>(of, by, arch, "cp_async");
}

spec_of<tma::params> specialize(problem const& of, tma::config const& by, arch arch) {
    return specialize_body<tma::params>(of, by, arch, "tma");
}

std::vector<spec> specs_of(problem const& of, config const& by, arch arch) {
    return std::visit(
        [&](auto const& c) -> std::vector<spec> {
            if constexpr (requires { specialize(of, c, arch); }) {
                return {specialize(of, c, arch)};
            } else {
                auto const both = specialize_gradient(of, c, arch);
                return {both.partial_sums, both.reduction};
            }
        },
        by);
}

family const& in_words() {
    static constexpr family one = {"conv2d", [](std::string_view text, arch arch) {
                                       auto const of = parse<problem>("conv2d", text);
                                       return specs_of(of, best_config(of, arch), arch);
                                   }};
    return one;
}

} // namespace spio::conv2d
