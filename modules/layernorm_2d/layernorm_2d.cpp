// Specializes LayerNorm, and computes it in double.
// SPDX-License-Identifier: Apache-2.0
//
// A spec (specialization) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. A position is a pixel of an image, with all its channels;
// factors are the weight and the bias of each channel. A config_source finds measured
// configurations; without one the family, the kernels of one operation, chooses.
module;

#include "layernorm_2d/problem.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.layernorm_2d;

import spio.spec;

namespace spio::layernorm_2d {

namespace {

// The sizes of a tensor of images or of factors, in the words of messages.
std::string spelled(auto const& tensor) {
    return std::to_string(tensor.template extent<X>().value) + " x " +
           std::to_string(tensor.template extent<C>().value);
}
std::string spelled(factors_to_read const& factors) {
    return std::to_string(factors.extent<C>().value);
}

// The type of elements, as a problem tells it.
template <class T> constexpr element_type type_of = element_type::fp16;
template <> constexpr element_type type_of<bfloat16> = element_type::bf16;

// The first condition of c.fits(p) that does not hold, for fields within their bounds.
std::string misfit(config const& c, problem const& p) {
    unmet_condition first;
    bool const is_even =
        c.lanes <= 32 ? is_power_of_two(c.lanes) : c.lanes % 32 == 0 && c.positions == 1;
    first.require(is_even, "lanes is " + std::to_string(c.lanes) +
                               ", but must be a power of two up to 32, or for one position a "
                               "multiple of 32");
    first.require(c.threads() % 32 == 0, "lanes times positions is " + std::to_string(c.threads()) +
                                             ", but must be a multiple of 32");
    first.require_most("the threads of a block", c.threads(), 1024);
    first.require(c.lanes * c.vectors >= p.vectors(),
                  "lanes times vectors is " + std::to_string(c.lanes * c.vectors) +
                      ", of at least " + std::to_string(p.vectors()) + " for the channels");
    return first.text();
}

} // namespace

template <class T>
typed_spec<params_of<T>> specialize(problem const& p, config const& c, arch arch) {
    check("layernorm_2d", p);
    if (p.type != type_of<T>) {
        throw error(error_kind::invalid, "specialize", "layernorm_2d " + text_of(p),
                    "the elements of its parameters are " + enumerator_name(type_of<T>));
    }
    check("layernorm_2d", c);
    if (!c.fits(p)) {
        throw error(error_kind::invalid, "specialize", "layernorm_2d " + text_of(p),
                    "the configuration " + text_of(c) + " does not fit: " + misfit(c, p));
    }
    if (c.shared_bytes() > max_shared_bytes) {
        throw error(error_kind::invalid, "specialize", "layernorm_2d " + text_of(p),
                    "the configuration " + text_of(c) + " needs " +
                        std::to_string(c.shared_bytes()) + " bytes of shared memory, of at most " +
                        std::to_string(max_shared_bytes));
    }
    return specialized<params_of<T>>(
        {.family = "layernorm_2d",
         .prefix = "layernorm_2d_c" + std::to_string(p.channels) + (p.affine ? "" : "_plain") +
                   (p.type == element_type::fp16 ? "" : "_bf16"),
         .problem = text_of(p),
         .config = text_of(c),
         .arch = arch,
         .arguments = "spio::layernorm_2d::problem" + initializer_of(p) +
                      ", spio::layernorm_2d::config" + initializer_of(c),
         .shape = {.block = {c.threads()}, .shared_bytes = c.shared_bytes()},
         .scope = p.type == element_type::bf16 ? "spio::layernorm_2d::bf16" : "",
         .headers = kernel_text()},
        [p, c](params_of<T> const& params) {
            int const factors = p.affine ? p.channels : 0;
            if (params.x.extents() != params.y.extents() ||
                params.y.template extent<C>() != C(p.channels) ||
                params.weight.template extent<C>() != C(factors) ||
                params.bias.template extent<C>() != C(factors) ||
                params.y.template extent<X>() < X(0)) {
                throw error(error_kind::invalid, "launch", "layernorm_2d " + text_of(p),
                            "x is " + spelled(params.x) + ", y " + spelled(params.y) + ", weight " +
                                spelled(params.weight) + " and bias " + spelled(params.bias));
            }
            return grid(c, params.y.template extent<X>().value);
        });
}
template typed_spec<params_of<half>> specialize<half>(problem const&, config const&, arch);
template typed_spec<params_of<bfloat16>> specialize<bfloat16>(problem const&, config const&, arch);

template <class T>
typed_spec<params_of<T>> specialize(problem const& problem, arch arch,
                                    config_source const& configs) {
    check("layernorm_2d", problem);
    auto const choice = configs.find({"layernorm_2d", text_of(problem), arch});
    return specialize<T>(
        problem, choice ? parse<config>("layernorm_2d", choice->config) : best_config(problem),
        arch);
}
template typed_spec<params_of<half>> specialize<half>(problem const&, arch, config_source const&);
template typed_spec<params_of<bfloat16>> specialize<bfloat16>(problem const&, arch,
                                                              config_source const&);

family const& family_entry() {
    static constexpr family entry = {
        "layernorm_2d",
        [](std::string_view text, arch arch, config_source const& configs) {
            auto const problem = parse<layernorm_2d::problem>("layernorm_2d", text);
            if (problem.type == element_type::bf16) {
                return std::vector<spec>{specialize<bfloat16>(problem, arch, configs)};
            }
            return std::vector<spec>{specialize<half>(problem, arch, configs)};
        },
        kernel_text};
    return entry;
}

double number_of(unsigned short bits, element_type type) {
    return type == element_type::bf16 ? bfloat16_number(bits) : half_number(bits);
}

std::vector<double> reference(problem const& p, std::span<unsigned short const> x,
                              std::span<float const> weight, std::span<float const> bias,
                              float epsilon) {
    check("layernorm_2d", p);
    auto const channels = static_cast<std::size_t>(p.channels);
    std::size_t const factors = p.affine ? channels : 0;
    if (x.size() % channels != 0 || weight.size() != factors || bias.size() != factors) {
        throw error(error_kind::invalid, "reference", "layernorm_2d " + text_of(p),
                    "x has " + std::to_string(x.size()) + " elements, weight " +
                        std::to_string(weight.size()) + " and bias " + std::to_string(bias.size()));
    }
    std::vector<double> y(x.size());
    for (std::size_t first = 0; first < x.size(); first += channels) {
        auto const row = x.subspan(first, channels);
        double mean = 0;
        for (auto const bits : row) mean += number_of(bits, p.type) / p.channels;
        double variance = 0;
        for (auto const bits : row) {
            double const deviation = number_of(bits, p.type) - mean;
            variance += deviation * deviation / p.channels;
        }
        double const scale = 1 / std::sqrt(variance + epsilon);
        for (std::size_t c = 0; c < channels; ++c) {
            double const z = (number_of(row[c], p.type) - mean) * scale;
            y[first + c] = p.affine ? z * weight[c] + bias[c] : z;
        }
    }
    return y;
}

} // namespace spio::layernorm_2d
