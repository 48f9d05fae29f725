// The softmax of the rows of a matrix: how a problem becomes a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, a manifest a list of kernels to compile.
module;

#include "softmax/problem.h"

#include <span>
#include <string>
#include <tuple>

export module softmax;

import spio.spec;

// The fields of a problem and of a configuration, with their bounds, for manifests and messages.
namespace spio {
template <> struct field_table<softmax::problem> {
    static constexpr auto fields =
        std::tuple(field{"columns", &softmax::problem::columns, {.least = 1, .most = 2048}});
};
template <> struct field_table<softmax::config> {
    static constexpr auto fields =
        std::tuple(field{"warps", &softmax::config::warps, {.least = 1, .most = 32}});
};
} // namespace spio

export namespace softmax {

using softmax::Column;
using softmax::input_matrix;
using softmax::output_matrix;
using softmax::params;
using softmax::problem;
using softmax::Row;

// The text of problem.h and softmax.cuh; spio_add_family() writes this function.
std::span<spio::header const> kernel_text();

inline spio::typed_spec<params> specialize(problem const& problem, spio::arch arch) {
    spio::check("softmax", problem);
    config const config = {.warps = 4};
    return spio::specialized<params>(
        spio::specialization_of("softmax", problem, arch, {.block = {32 * config.warps}},
                                kernel_text(), config),
        [problem, config](params const& params) {
            auto const rows = params.y.extent<Row>();
            if (params.x.extents() != params.y.extents() ||
                params.y.extents() != rows + Column(problem.columns)) {
                throw spio::error(spio::error_kind::invalid, "launch",
                                  "softmax " + spio::text_of(problem),
                                  "x and y must both have so many columns, and the same rows");
            }
            return spio::extent{spio::divup(rows.value, config.warps)};
        });
}

// How a line of a manifest, `softmax columns=1000`, becomes a specification.
inline spio::family const& family_entry() {
    static constexpr auto family = spio::family_of<"softmax", specialize>(kernel_text);
    return family;
}

} // namespace softmax
