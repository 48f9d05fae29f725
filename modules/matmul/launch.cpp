// Launches matrix products, with tensor maps for the kernels that take them.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map tells the hardware's bulk copies (TMA) which boxes of a matrix they copy; it has the
// matrix's address, and so each launch encodes its own. The kernels by cp.async take the arguments
// as they are.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <variant>

module spio.matmul.launch;

import spio.launch;
import spio.matmul;
import spio.spec;

namespace spio::matmul {

void product::launch(stream const& stream, args const& args) const {
    check(made_for, args);
    if (auto const* const cp_async = std::get_if<cp_async_body>(&body)) {
        stream.launch(*cp_async, {args});
        return;
    }
    auto const& [config, kernel] = std::get<wgmma_body>(body);
    stream.launch(kernel, {.a = home.map(wgmma::a_plan(made_for, config, args), args.a.data),
                           .b = home.map(wgmma::b_plan(made_for, config, args), args.b.data),
                           .d = home.map(wgmma::d_plan(made_for, config, args), args.d.data),
                           .sizes = args.sizes,
                           .bias = args.bias,
                           .c = args.c});
}

} // namespace spio::matmul
