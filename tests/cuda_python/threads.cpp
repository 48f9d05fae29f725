// Arguments and threads: arrays, globals, intrinsics, shared memory, and misuse of them.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
// reals() runs the body of a kernel k(n, o), and returns o, an array of 16 zeros before. A misuse
// is an access that breaks a rule, and that the interpreter finds.
#include <doctest/doctest.h>

#include "tests/cuda_python/interpreted.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

import spio.cuda_python;

namespace py = spio::cuda_python;
using namespace spio::cuda_python_test;

namespace {

// What a kernel with this body leaves in o[0].
double first(std::string const& body, int n = 0) { return reals(body, {.n = n})[0]; }

// Arguments of a launch, in the order of the parameters: numbers, and arrays, which are an address
// with sizes and strides.
class arguments {
  public:
    explicit arguments(py::kernel const& kernel) : kernel(kernel), bytes(kernel.params_bytes) {}

    // Adds a number; below, an array, as the kernel takes it.
    template <class T> void add(T value) {
        std::memcpy(bytes.data() + kernel.parameters[count++].offset, &value, sizeof value);
    }
    template <class T>
    void add(T* data, std::initializer_list<std::int64_t> shape,
             std::initializer_list<std::int64_t> strides) {
        auto* place = bytes.data() + kernel.parameters[count++].offset;
        std::memcpy(place, &data, sizeof data);
        std::memcpy(place + 8, shape.begin(), 8 * shape.size());
        std::memcpy(place + 8 + 8 * shape.size(), strides.begin(), 8 * strides.size());
    }
    void const* data() const { return bytes.data(); }

  private:
    py::kernel const& kernel;
    std::vector<unsigned char> bytes;
    std::size_t count = 0;
};

} // namespace

TEST_CASE("globals that are numbers or types are frozen") {
    std::string const globals = "N = 3 * 4\nHALF = 1 / 2\nreal = float32\nSMALL = real(0.1)\n"
                                "import math as m\nfrom math import sqrt as root\n";
    CHECK(reals("o[0] = N + HALF", {.functions = globals})[0] == 12.5);
    CHECK(reals("o[0] = SMALL", {.functions = globals})[0] == static_cast<double>(0.1F));
    CHECK(reals("o[0] = real(0.1)", {.functions = globals})[0] == static_cast<double>(0.1F));
    CHECK(reals("o[0] = m.sqrt(16.0) + root(9.0)", {.functions = globals})[0] == 7);
    py::global const outer[] = {{"WIDTH", "16"}, {"kind", "int8"}};
    py::program const program(
        {.name = "k.py", .text = "@cuda.jit\ndef k(o):\n    o[0] = kind(WIDTH * 17)\n"}, outer);
    auto const kernel = program.compile("k", "float64[:]");
    double result = 0;
    arguments args(kernel);
    args.add(&result, {1}, {8});
    py::interpret(kernel, /*grid=*/{}, /*block=*/{}, args.data());
    CHECK(result == 16); // 272 as an int8
}

TEST_CASE("arrays: n indices, strides in bytes, shape, strides, size and ndim") {
    py::program const program({.name = "k.py", .text = R"(
@cuda.jit
def k(a, o):
    h, w = a.shape
    o[0] = a[1, 2]
    a[0, 1] = 7.9
    o[1] = a.ndim
    o[2] = a.size
    o[3] = h * 100 + w
    p, q = a.strides
    o[4] = p * 100 + q
    o[5] = a.shape[1]
    a[1, 1] += 0.75
    b = a
    o[6] = b[1, 1]
)"});
    auto const kernel = program.compile("k", "int32[:, :], float64[:]");
    CHECK(kernel.signature == "int32[:, :], float64[:]");
    std::int32_t data[24] = {};
    for (int i = 0; i < 24; ++i) data[i] = i;
    double results[7] = {};
    arguments args(kernel);
    args.add(data + 23, {3, 4}, {-32, -8}); // backwards, every second element
    args.add(results, {7}, {8});
    py::interpret(kernel, /*grid=*/{}, /*block=*/{}, args.data());
    CHECK(results[0] == 23 - 8 - 4);
    CHECK(data[21] == 7); // stores coerce
    CHECK(results[1] == 2);
    CHECK(results[2] == 12);
    CHECK(results[3] == 304);
    CHECK(results[4] == -3208);
    CHECK(results[5] == 4);
    CHECK(results[6] == 23 - 8 - 2); // with 0.75 it is coerced to an int32 again
}

TEST_CASE("an index outside of its array is reported with its thread") {
    for (auto const* index : {"16", "-1", "n"}) {
        std::string reason;
        try {
            reals("o[" + std::string(index) + "] = 1", {.n = 99}); // o has 16 elements
        } catch (spio::error const& e) {
            CHECK(e.kind() == spio::error_kind::misuse);
            reason = e.reason();
        }
        CHECK(reason.starts_with("k.py:3:5: index "));
        CHECK(reason.ends_with(
            "of dimension 0, whose extent is 16, in thread (0, 0, 0) of block (0, 0, 0)"));
    }
}

TEST_CASE("intrinsics: indices, sizes, grid") {
    auto const result = reals("i = cuda.grid(1)\n    o[i] = cuda.threadIdx.x + 10 * "
                              "cuda.blockIdx.x + 100 * cuda.blockDim.x + 1000 * cuda.gridDim.x",
                              {.block = {.x = 4}, .grid = {.x = 3}});
    for (int i = 0; i < 12; ++i)
        CHECK(result[static_cast<std::size_t>(i)] == i % 4 + i / 4 * 10 + 3400);
    auto const pairs = reals("x, y = cuda.grid(2)\n    o[x + 4 * y] = x * 10 + y",
                             {.block = {.x = 2, .y = 2}, .grid = {.x = 2, .y = 2}});
    for (int i = 0; i < 16; ++i) CHECK(pairs[static_cast<std::size_t>(i)] == i % 4 * 10 + i / 4);
    auto const depth = reals("o[cuda.threadIdx.z] = cuda.blockDim.z + cuda.threadIdx.z",
                             {.block = {.x = 1, .y = 1, .z = 3}});
    CHECK(depth[2] == 5);
}

TEST_CASE("shared arrays and barriers") {
    std::string const body = "s = cuda.shared.array(shape=(2, 8), dtype=int32)\n"
                             "    t = cuda.threadIdx.x\n"
                             "    s[t // 8, t % 8] = t * t\n"
                             "    cuda.syncthreads()\n"
                             "    o[t] = s[1 - t // 8, 7 - t % 8]";
    auto const result = reals(body, {.block = {.x = 16}});
    for (int t = 0; t < 16; ++t) {
        CHECK(result[static_cast<std::size_t>(t)] == (15 - t) * (15 - t));
    }
    std::string reason;
    try {
        reals("if cuda.threadIdx.x > 0: cuda.syncthreads()", {.block = {.x = 4}});
    } catch (spio::error const& e) {
        reason = e.reason();
    }
    CHECK(reason == "k.py:3:30: a barrier is not reached by thread (0, 0, 0) of block (0, 0, 0)");
}

TEST_CASE("an endless loop is reported") {
    CHECK_THROWS_WITH_AS(first("while True: o[0] += 1"),
                         doctest::Contains("the kernel takes too many steps"), spio::error);
}
