// Programs: which functions are kernels, their signatures, and the specifications made of them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels.
#include <doctest/doctest.h>

#include <string>
#include <vector>

import spio.cuda_python;

namespace py = spio::cuda_python;

TEST_CASE("decorators: jit with a signature, autojit, device functions") {
    py::program const program({.name = "k.py", .text = R"(
from numba import cuda
from numbapro import jit, float32, int32

@cuda.jit('void(float32[:], int32)')
def a(x, n):
    x[0] = n

@cuda.autojit
def b(x): pass

@jit(argtypes=[float32[:], int32], target='gpu')
def c(x, n): x[0] = n

@cuda.jit(restype=float32, argtypes=[int32], device=True, inline=True)
def d(n): return n
)"});
    CHECK(program.kernels() == std::vector<std::string>{"a", "b", "c"});
    CHECK(program.compile("a").signature == "float32[:], int32");
    CHECK(program.compile("c").signature == "float32[:], int32");
    CHECK(program.compile("b", "int8[:, :]").signature == "int8[:, :]");
    CHECK_THROWS_AS(program.compile("b"), spio::error);
    CHECK_THROWS_AS(program.compile("absent"), spio::error);
}

TEST_CASE("a specification has a symbol by its text, and a launch shape") {
    py::program const program(
        {.name = "k.py", .text = "@cuda.jit\ndef k(x, y):\n    s = cuda.shared.array(8, int8)\n"});
    auto const kernel = program.compile("k", "int8, float64[:, :]");
    CHECK(kernel.params_bytes == 8 + 8 + 16 + 16);
    CHECK(kernel.parameters[1].offset == 8);
    auto const other = program.compile("k", "int16, float64[:, :]");
    CHECK(kernel.symbol != other.symbol);
    CHECK(kernel.symbol == program.compile("k", "int8, float64[:, :]").symbol);
    CHECK(kernel.symbol.starts_with("k_"));
    CHECK(kernel.shared_bytes == 8);
    CHECK(kernel.text.find("extern \"C\" __global__ void " + kernel.symbol + "(") !=
          std::string::npos);
}
