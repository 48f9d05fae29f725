// A user-defined last step of an epilogue, for the tests of convolutions.
// SPDX-License-Identifier: Apache-2.0
//
// An epilogue may end with a function of the user's, which gets the position of two sums: image,
// row, column and channel. position.total<D>() is the whole place along D, in single steps.
#pragma once

#include "conv2d/problem.h"
#include "last_step.h"
#include "spio/tile/vector.h"

namespace spio::test {

// Adds a number that depends on the position.
struct add_number {
    template <class Position>
    __device__ void operator()(Position const& position, vec<float, 2>& pair) const {
        auto const n = conv2d::N(position.template total<conv2d::N>()).get();
        auto const p = conv2d::P(position.template total<conv2d::P>()).get();
        auto const q = conv2d::Q(position.template total<conv2d::Q>()).get();
        auto const k = conv2d::K(position.template total<conv2d::K>()).get();
        pair[0] += number_at(n, p, q, k);
        pair[1] += number_at(n, p, q, k + 1);
    }
};

} // namespace spio::test
