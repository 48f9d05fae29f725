// Checks and names matrix products, and reads and chooses their configurations.
// SPDX-License-Identifier: Apache-2.0
//
// A body is one of two kernel templates, cp_async and wgmma; a config is the configuration of one
// of them. A config_source finds measured configurations; without one the family, the kernels of
// one operation, chooses.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.matmul;

import spio.spec;

namespace spio::matmul {

void check(problem const& problem) {
    spio::check("matmul", problem);
    int const alignment = problem.alignment;
    if ((alignment & (alignment - 1)) != 0) {
        throw error(error_kind::invalid, "check", "matmul " + text_of(problem),
                    "alignment is " + std::to_string(alignment) + ", but must be 2, 4, 8 or 16");
    }
    bool const is_16_bits = problem.result != result_type::fp32;
    bool const is_half = problem.result == result_type::fp16;
    if (is_16_bits && is_half != (problem.type == factor_type::fp16)) {
        throw error(error_kind::invalid, "check", "matmul " + text_of(problem),
                    "result is " + enumerator_name(problem.result) + ", but must be fp32 or " +
                        enumerator_name(problem.type) + ", the type of the factors");
    }
}

// Such as 512m_anyn_512k_fp16_rc: the sizes that are known when the kernel is compiled, the type,
// and the orders of a and b, rows or columns.
std::string name_of(problem const& problem) {
    auto const part = [](int value, char const* unit, bool is_known) {
        return (is_known ? std::to_string(value) : "any") + unit;
    };
    return part(problem.m, "m_", problem.has_static_m()) +
           part(problem.n, "n_", problem.has_static_n()) +
           part(problem.k, "k_", problem.has_static_k()) + enumerator_name(problem.type) + "_" +
           enumerator_name(problem.a).front() + enumerator_name(problem.b).front();
}

std::string config_text(config const& config) {
    return std::visit(
        [&](auto const& body_config) {
            return (config.index() == 0 ? "cp_async " : "wgmma ") + text_of(body_config);
        },
        config);
}

config parse_config(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    auto const body = text.substr(0, text.find(' '));
    auto const words = text.substr(body.size());
    if (body == "cp_async") return parse<cp_async::config>("matmul", words);
    if (body == "wgmma") return parse<wgmma::config>("matmul", words);
    throw error(error_kind::invalid, "parse", "matmul",
                "the body is " + std::string(body) + ", but must be cp_async or wgmma");
}

family const& family_entry() {
    static constexpr family entry = {
        "matmul",
        [](std::string_view text, arch arch, config_source const& configs) {
            auto const problem = parse<matmul::problem>("matmul", text);
            return std::vector<spec>{spec_of(problem, best_config(problem, arch, configs), arch)};
        },
        kernel_text};
    return entry;
}

} // namespace spio::matmul
