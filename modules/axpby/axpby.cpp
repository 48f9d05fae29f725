// Specializes axpby, and computes it in double.
// SPDX-License-Identifier: Apache-2.0
//
// A spec (specialization) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. The problem of axpby is the length n of its vectors, the
// configuration how threads share them. A family is the kernels of one operation; its entry is for
// callers that have a problem as text. A config_source finds measured configurations; without one
// the family chooses.
module;

#include "axpby/problem.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.axpby;

import spio.spec;

namespace spio::axpby {

typed_spec<params> specialize(problem const& p, config const& c, arch arch) {
    check("axpby", p);
    check("axpby", c);
    return specialized<params>(
        {.family = "axpby",
         .prefix = "axpby_" + std::to_string(c.threads) + "x" + std::to_string(c.vectors),
         .problem = text_of(p),
         .config = text_of(c),
         .arch = arch,
         .arguments = "spio::axpby::config" + initializer_of(c),
         .shape = {.block = {c.threads}},
         .headers = kernel_text()},
        [c](params const& params) {
            int const x = params.x.extent<N>().value, y = params.y.extent<N>().value;
            if (x != y || y < 0) {
                throw error(error_kind::invalid, "launch", "axpby",
                            "x has " + std::to_string(x) + " elements, y has " + std::to_string(y));
            }
            return grid(c, y);
        });
}

typed_spec<params> specialize(problem const& problem, arch arch, config_source const& configs) {
    check("axpby", problem);
    auto const choice = configs.find({"axpby", text_of(problem), arch});
    return specialize(problem,
                      choice ? parse<config>("axpby", choice->config) : best_config(problem), arch);
}

family const& family_entry() {
    static constexpr family entry = {
        "axpby",
        [](std::string_view text, arch arch, config_source const& configs) {
            return std::vector<spec>{specialize(parse<problem>("axpby", text), arch, configs)};
        },
        kernel_text};
    return entry;
}

std::vector<double> reference(float a, std::span<float const> x, float b,
                              std::span<float const> y) {
    if (x.size() != y.size()) {
        throw error(error_kind::invalid, "reference", "axpby",
                    "x has " + std::to_string(x.size()) + " elements, y has " +
                        std::to_string(y.size()));
    }
    std::vector<double> sums(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        sums[i] = static_cast<double>(a) * x[i] + static_cast<double>(b) * y[i];
    }
    return sums;
}

} // namespace spio::axpby
