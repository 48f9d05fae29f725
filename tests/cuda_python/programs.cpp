// Programs: which functions are kernels, their signatures, and the specifications made of them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A specification is
// what a kernel is compiled from. A program is a file, or fragments: functions of several files,
// each with the imports and the globals that it sees.
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
    CHECK(program.compile("b", "int8[:, :, :, :, :, :, :, :]").signature ==
          "int8[:, :, :, :, :, :, :, :]");
    CHECK_THROWS_AS(program.compile("b", "int8[:, :, :, :, :, :, :, :, :]"), spio::error);
    for (auto const* const types : {"numba.float32[:]", "void(numba.float32[:])"}) {
        CHECK(program.compile("b", types).signature == "float32[:]");
    }
    CHECK(program.compile("b", "numba.int16").signature == "int16");
    CHECK_THROWS_AS(program.compile("b", "16"), spio::error);
    CHECK_THROWS_AS(program.compile("b", "int16()"), spio::error);
    CHECK_THROWS_AS(program.compile("b"), spio::error);
    CHECK_THROWS_AS(program.compile("absent"), spio::error);
}

TEST_CASE("the types of a function and of its result may be given in either order") {
    for (auto const* types :
         {"argtypes=[int32, int32], restype=float32", "restype=float32, argtypes=[int32, int32]"}) {
        py::program const program({.name = "k.py",
                                   .text = "from numba import cuda, float32, int32\n\n"
                                           "@cuda.jit(" +
                                           std::string(types) +
                                           ", device=True)\n"
                                           "def half(m, n): return m / n\n\n"
                                           "@cuda.jit('float32[:]')\n"
                                           "def k(x): x[0] = half(1, 2)\n"});
        auto const text = program.compile("k").text;
        CAPTURE(text);
        auto const name = text.find("_half(py::int32 v");
        REQUIRE(name != text.npos);
        CHECK(text.substr(0, name).rfind(" py::float32 ") > text.substr(0, name).rfind('\n'));
    }
}

TEST_CASE("a specification has a symbol by its text, and a launch shape") {
    py::program const program(
        {.name = "k.py", .text = "@cuda.jit\ndef k(x, y):\n    s = cuda.shared.array(8, int8)\n"});
    auto const kernel = program.compile("k", "int8, float64[:, :]");
    // A number, padded; then an array: its address, two sizes and two strides.
    CHECK(kernel.params_bytes == 8 + 8 + 16 + 16);
    CHECK(kernel.parameters[1].offset == 8);
    auto const other = program.compile("k", "int16, float64[:, :]");
    CHECK(kernel.symbol != other.symbol);
    CHECK(kernel.symbol == program.compile("k", "int8, float64[:, :]").symbol);
    CHECK(kernel.symbol.starts_with("k_"));
    // An option makes another kernel where it makes another text.
    CHECK(kernel.symbol ==
          program.compile("k", "int8, float64[:, :]", {.has_floor_division = true}).symbol);
    py::program const divided({.name = "k.py", .text = "@cuda.jit\ndef k(x): x[0] = x[1] // 2\n"});
    CHECK(divided.compile("k", "int8[:]").symbol !=
          divided.compile("k", "int8[:]", {.has_floor_division = true}).symbol);
    py::program const squared({.name = "k.py", .text = "@cuda.jit\ndef k(x): x[0] *= x[0]\n"});
    CHECK(squared.compile("k", "float32[:]").symbol !=
          squared.compile("k", "float32[:]", {.has_fused_products = false}).symbol);
    CHECK(kernel.shared_bytes == 8);
    CHECK(kernel.text.find("extern \"C\" __global__ void " + kernel.symbol + "(") !=
          std::string::npos);
}

TEST_CASE("fragments: names mean what they mean in each text, and lines are those of its file") {
    // A device function that stands at this line of lib.py.
    auto const device = [](std::string const& text, int line) {
        return py::source{
            .name = "lib.py", .text = "@cuda.jit(device=True)\n" + text, .first_line = line};
    };
    auto const fragments = [&](std::string const& kernel_line) {
        return std::vector<py::fragment>{
            {.source = {.name = "k.py",
                        .text = "@cuda.jit\ndef f(x):\n    " + kernel_line,
                        .first_line = 9,
                        .first_column = 5},
             .imports = "from spio import cuda as c",
             // N is the number 4; g and h are the functions f of fragments 1 and 2.
             .globals = {{"N", "4"}, {"g", "f", 1}, {"h", "f", 2}}},
            {.source = device("def f(x):\n    return kind(x) + N", 19),
             .globals = {{"N", "float32(0.5)"}, {"kind", "float32"}}},
            {.source = device("def f(x): return wrong(x)", 29), .globals = {{"wrong", "g", 3}}},
            {.source = device("def g(x): return x & N", 39), .imports = "import math\n"}};
    };
    py::program const program(fragments("x[c.threadIdx.x] = g(N)"));
    CHECK(program.kernels() == std::vector<std::string>{"f"});
    auto const kernel = program.compile("f", "float32[:]");
    float result = 0;
    struct {
        float* data;
        long long shape, stride;
    } const params = {&result, 1, 4};
    py::interpret(kernel, /*grid=*/{}, /*block=*/{}, &params);
    CHECK(result == 4.5F);

    std::string words;
    try {
        py::program(fragments("x[0] = h(N)")).compile("f", "float32[:]");
    } catch (py::program_error const& e) {
        words = e.diagnostic().spelled();
    }
    CHECK(words == "lib.py:40:22: variables: there is no 'N'\n"
                   "    def g(x): return x & N\n                         ^\n"
                   "lib.py:30:18: called from here\n    def f(x): return wrong(x)\n"
                   "                     ^\n"
                   "k.py:11:16: called from here\n        x[0] = h(N)\n               ^\n");
    // The error for an unknown name in the value of a global has the name as the value spells it.
    py::global const unknown[] = {{"N", "unknown_function(1)"}};
    py::program const wrong({"k.py", "@cuda.jit\ndef k(x): x[0] = N\n"}, unknown);
    CHECK_THROWS_WITH_AS(wrong.compile("k", "float32[:]"),
                         doctest::Contains("'unknown_function' is no function of CUDA Python"),
                         py::program_error);
    CHECK_THROWS_AS(py::program(std::vector<py::fragment>()), spio::error);
    CHECK_THROWS_AS(py::program({{.source = {"k.py", ""}, .globals = {{"g", "f", 0}}}}),
                    spio::error);
}
