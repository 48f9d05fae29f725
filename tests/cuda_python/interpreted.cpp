// Runs bodies of kernels by the interpreter.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
#include "tests/cuda_python/interpreted.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

import spio.cuda_python;

namespace spio::cuda_python_test {

namespace {

// What a kernel k(n, o) with this body leaves in the 16 elements of o, whose elements have this
// type.
template <class T>
std::vector<T> ran(std::string const& body, std::string const& type,
                   interpreted_launch const& launch) {
    cuda_python::program const program(
        {.name = "k.py", .text = launch.functions + "@cuda.jit\ndef k(n, o):\n    " + body + "\n"});
    auto const kernel = program.compile("k", "int32, " + type + "[:]",
                                        {.has_floor_division = launch.has_floor_division});
    std::vector<T> result(16);
    struct {
        std::int32_t n;
        T* data;
        std::int64_t size, stride;
    } const params = {launch.n, result.data(), 16, sizeof(T)};
    constexpr int most_steps = 100000; // after which the interpreter reports a loop without an end
    cuda_python::interpret(kernel, launch.grid, launch.block, &params, most_steps);
    return result;
}

} // namespace

// What the interpreter writes to the result array of a kernel with this body.
std::vector<double> reals(std::string const& body, interpreted_launch const& launch) {
    return ran<double>(body, "float64", launch);
}
std::vector<std::complex<double>> complex_numbers(std::string const& body) {
    return ran<std::complex<double>>(body, "complex128", {});
}

} // namespace spio::cuda_python_test
