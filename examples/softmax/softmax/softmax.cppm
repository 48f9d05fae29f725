// The softmax of the rows of a matrix: how a problem becomes a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// A specification is what a kernel is compiled from, a manifest a list of kernels to compile. Its
// lines, `softmax columns=1000`, become specifications by specialize(). A typed_spec is a spec with
// the type of its parameters.
module;

#include "softmax/problem.h"

#include <tuple>

export module softmax;

import spio.spec;

// The fields of a problem, with their bounds, for manifests and messages.
template <> struct spio::field_table<softmax::problem> {
    static constexpr auto fields =
        std::tuple(field{"columns", &softmax::problem::columns, {.least = 1, .most = 2048}});
};

export namespace softmax {

using softmax::Column, softmax::Row, softmax::problem;
using softmax::input_matrix, softmax::output_matrix, softmax::params;

// The text of problem.h and softmax.cuh; spio_add_family() writes this function.
spio::kernel_headers kernel_text();

// The specification of a kernel, and the number of blocks of a launch with these parameters.
inline spio::typed_spec<params> specialize(problem const& problem, spio::arch arch) {
    return spio::specialized<params>(
        spio::specialization_of("softmax", problem, arch, {.block = {32 * warps}}, kernel_text()),
        [problem](params const& params) {
            auto const wanted = params.y.extent<Row>() + Column(problem.columns);
            spio::check_launch(params.x.extents() == wanted && params.y.extents() == wanted,
                               "softmax", problem,
                               "x and y must both have so many columns, and the same rows");
            return spio::extent{spio::divup(params.y.extent<Row>().value, warps)};
        });
}

} // namespace softmax
