// Sizes of matrix products that do not fit into 64 bits.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <span>

import spio.matmul;
import spio.spec;

// The sizes of a and of the product wrap to 0 in 64 bits, so that arrays without elements would
// seem to fit.
TEST_CASE("the reference of matmul refuses sizes that do not fit into 64 bits") {
    spio::matmul::problem problem;
    problem.m = problem.n = problem.k = 1 << 24;
    problem.batch = 1 << 16;
    CHECK_THROWS_AS(spio::matmul::reference(problem, {}), spio::error);
}
