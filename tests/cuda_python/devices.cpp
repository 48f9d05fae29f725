// The host device computes what the interpreter does: operators, functions, random programs.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler. The
// host device executes kernels on the CPU, compiled as C++. SPIO_PAIR_STEP says which part of all
// pairs of types is compiled, SPIO_RANDOM_PROGRAMS how many random programs; nightly tests compile
// more.
#include <doctest/doctest.h>

#include "tests/cuda_python/execution.h"

#include <cstddef>
#include <cstdio>
#include <vector>

using namespace spio::cuda_python_test;

namespace {

// Compares all arrays after each kernel, and returns the number of their elements.
std::size_t compared_elements(std::vector<test_kernel> const& kernels) {
    std::size_t elements = 0;
    for (auto const& kernel : kernels) {
        auto const result = compare(kernel, target::host);
        CHECK_MESSAGE(result.difference.empty(), result.difference << "\n" << kernel.text);
        elements += result.elements;
    }
    return elements;
}

} // namespace

// The bounds are somewhat below what the lists of kernels have in a daily build: a list that loses
// a part of its kernels must not pass.
TEST_CASE("all operators of pairs of types") {
    CHECK(compared_elements(operator_kernels(/*has_floor_division=*/false, SPIO_PAIR_STEP)) >
          50000);
}

TEST_CASE("quotients and remainders that floor") {
    CHECK(compared_elements(operator_kernels(/*has_floor_division=*/true, SPIO_PAIR_STEP)) > 5000);
}

TEST_CASE("the 28 functions of math") {
    auto const kernels = math_kernels();
    CHECK(kernels.size() == 28);
    CHECK(compared_elements(kernels) > 10000);
}

TEST_CASE("the examples") { CHECK(compared_elements(example_kernels()) > 1000); }

TEST_CASE("random programs") {
    auto const elements = compared_elements(random_kernels(/*first_seed=*/1, SPIO_RANDOM_PROGRAMS));
    std::printf("figure: cuda_python.random: %d programs, %zu elements\n", SPIO_RANDOM_PROGRAMS,
                elements);
}
