// What programs of the language compute, sentence by sentence of its description.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
// Each text is the body of a kernel k(n, o), where o is an array of 16 zeros. A case is named after
// a section of docs/cuda_python.md.
#include <doctest/doctest.h>

#include "tests/cuda_python/interpreted.h"

#include <cmath>
#include <complex>
#include <string>
#include <utility>

import spio.error;

using namespace spio::cuda_python_test;

namespace {

// What a kernel with this body leaves in o[0].
double first(std::string const& body, int n = 0) { return reals(body, {.n = n})[0]; }

} // namespace

TEST_CASE("statements: for over range and xrange") {
    CHECK(first("for i in range(5): o[0] += i") == 10);
    CHECK(first("for i in xrange(2, 5): o[0] += i") == 9);
    CHECK(first("for i in range(10, 0, -3): o[0] += i") == 22);
    CHECK(first("for i in range(0, 10, 4): o[0] += i") == 12);
    CHECK(first("for i in range(5, 2): o[0] += 1") == 0);
    CHECK(first("for i in range(n): o[0] += 1", -3) == 0);
    // The counter is not the variable: the number of rounds stays.
    CHECK(first("for i in range(4):\n        o[0] += 1\n        i = 10") == 4);
    CHECK(first("m = 3\n    for i in range(m):\n        m = 100\n        o[0] += 1") == 3);
    CHECK(first("for i in range(0, 5, n): o[0] += 1", 0) == 0);
    CHECK(first("for i in range(9223372036854775806, 9223372036854775807): o[0] += 1") == 1);
}

TEST_CASE("statements: while, if, elif, else, break, continue") {
    CHECK(first("i = 0\n    while i < 7:\n        i += 1\n        o[0] += i") == 28);
    CHECK(first("i = 0\n    while True:\n        i += 1\n        if i == 3: continue\n"
                "        if i > 5: break\n        o[0] += i") == 1 + 2 + 4 + 5);
    for (int n : {-1, 0, 1, 2}) {
        auto const expected = n < 0 ? 1 : n == 0 ? 2 : n == 1 ? 3 : 4;
        CHECK(first("if n < 0: o[0] = 1\n    elif n == 0: o[0] = 2\n    elif n == 1: o[0] = 3\n"
                    "    else: o[0] = 4",
                    n) == expected);
    }
    // Threads of a block take branches of their own.
    auto const rounds = reals("t = cuda.threadIdx.x\n    i = 0\n    while i < t:\n"
                              "        i += 1\n        if i == 3: break\n    o[t] = i",
                              {.block = {.x = 6}});
    CHECK(rounds == std::vector<double>{0, 1, 2, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("statements: assignment, and augmented assignment by each operator") {
    for (std::string const sign : {"+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"}) {
        auto const expected = first("x = 29\n    o[0] = x " + sign + " 3");
        CHECK(first("x = 29\n    x " + sign + "= 3\n    o[0] = x") == expected);
        // An element keeps its type: a quotient is stored as an integer.
        CHECK(first("s = cuda.shared.array(1, int64)\n    s[0] = 29\n    s[0] " + sign +
                    "= 3\n    o[0] = s[0]") == std::trunc(expected));
    }
}

TEST_CASE("statements: return ends the kernel, or has the value of a function") {
    CHECK(first("o[0] = 1\n    if n > 0: return\n    o[0] = 2", 1) == 1);
    CHECK(first("o[0] = 1\n    if n > 0: return\n    o[0] = 2", 0) == 2);
    std::string const function = "@cuda.jit(device=True)\ndef f(x):\n    while True:\n"
                                 "        x += 1\n        if x > 10: return x\n    return 0\n";
    CHECK(reals("o[0] = f(n)", {.n = 3, .functions = function})[0] == 11);
}

TEST_CASE("statements: unpacking of shape, strides and results of calls") {
    std::string const function = "@cuda.jit(device=True)\ndef f(x, y):\n    return y, x\n";
    CHECK(reals("s, = o.shape\n    o[0] = s")[0] == 16);
    auto const swapped =
        reals("a, b = f(1, 2.5)\n    a, o[2] = f(a, b)\n    o[0] = a\n    o[1] = b",
              {.functions = function});
    CHECK(swapped[0] == 1);
    CHECK(swapped[1] == 1);
    CHECK(swapped[2] == 2.5);
}

TEST_CASE("variables: a new assignment outside of a loop may change the type") {
    CHECK(first("x = 1\n    x = 2.5\n    o[0] = x") == 2.5);
    CHECK(first("x = 1.5\n    y = x\n    x = True\n    if x: o[0] = y") == 1.5);
}

TEST_CASE("variables: inside a loop the type stays, and stores coerce to it") {
    CHECK(first("j = 0\n    for i in range(4): j += 1.75\n    o[0] = j") == 4);
    CHECK(first("j = 0\n    while j < 3: j = j + 1.5\n    o[0] = j") == 3);
    CHECK(first("j = 0.0\n    for i in range(4): j += 1.75\n    o[0] = j") == 7);
    // In the loop alone: the type of the first definition.
    CHECK(first("for i in range(2):\n        j = i\n        j = j + 0.5\n        o[i] = j\n") == 0);
    CHECK(first("i = 0.5\n    for i in range(3): pass\n    o[0] = i") == 2);
    CHECK(first("i = int8(0)\n    for i in range(300): pass\n    o[0] = i") == 299 - 256);
}

TEST_CASE("variables: where branches join, the type from before, else the first branch's") {
    std::string const changed = "x = 1\n    if n > 0: x = 2.5\n    o[0] = x";
    CHECK(first(changed, 1) == 2);
    CHECK(first(changed, 0) == 1);
    std::string const local = "x = 1\n    if n > 0:\n        x = 2.5\n        o[0] = x";
    CHECK(first(local, 1) == 2.5);
    std::string const none = "if n == 0: x = 1\n    elif n == 1: x = 2.5\n    else: x = 3.5\n"
                             "    o[0] = x";
    CHECK(first(none, 0) == 1);
    CHECK(first(none, 1) == 2);
    CHECK(first(none, 2) == 3);
    // A branch that does not reach the join has no say.
    std::string const ended = "if n == 0:\n        x = 1\n        return\n    else: x = 2.5\n"
                              "    o[0] = x";
    CHECK(first(ended, 1) == 2.5);
}

TEST_CASE("coercion: integers wrap around, reals saturate") {
    CHECK(first("o[0] = int8(200)") == -56);
    CHECK(first("o[0] = uint8(-1)") == 255);
    CHECK(first("o[0] = int32(1e20)") == 2147483647);
    CHECK(first("o[0] = int16(-1e20)") == -32768);
    CHECK(first("o[0] = uint16(-5.5)") == 0);
    CHECK(first("o[0] = uint16(70000.0)") == 65535);
    CHECK(first("o[0] = int32(math.sqrt(-1.0))") == 0);
    CHECK(first("o[0] = int64(-2.9)") == -2);
    CHECK(first("o[0] = int8(127) + int8(1)") == -128);
    CHECK(first("x = int16(-32768)\n    o[0] = int64(-x) + int64(int16(0) - x)") == -65536);
    CHECK(first("if bool(0.5) and not bool(0): o[0] = 1") == 1);
    CHECK(first("o[0] = int32(n > 0)", 1) == 1);
}

TEST_CASE("// and % truncate, or floor as Python's") {
    // Two operands; their quotient and remainder as C++ has them, and as Python has them.
    struct row {
        int a, b, quotient, rest, floor, modulo;
    };
    for (auto const& [a, b, quotient, rest, floor, modulo] :
         {row{7, 2, 3, 1, 3, 1}, row{-7, 2, -3, -1, -4, 1}, row{7, -2, -3, 1, -4, -1},
          row{-7, -2, 3, -1, 3, -1}, row{6, -3, -2, 0, -2, 0}, row{5, 0, 0, 0, 0, 0}}) {
        auto const text = [&](char const* operation, char const* suffix) {
            return "o[0] = " + std::to_string(a) + suffix + " " + operation + " (" +
                   std::to_string(b) + suffix + ")";
        };
        CHECK(first(text("//", "")) == quotient);
        CHECK(first(text("%", "")) == rest);
        CHECK(first(text("//", ".0")) == quotient);
        interpreted_launch const floors = {.has_floor_division = true};
        CHECK(reals(text("//", ""), floors)[0] == floor);
        CHECK(reals(text("%", ""), floors)[0] == modulo);
        CHECK(reals(text("//", ".0"), floors)[0] == floor);
        if (b == 0) continue;
        CHECK(first(text("%", ".0")) == rest);
        CHECK(reals(text("%", ".0"), floors)[0] == modulo);
    }
    // The quotient of reals is that of fmod: 0.1 is a little more than a tenth.
    CHECK(first("o[0] = 1.0 // 0.1") == 9);
    CHECK(first("o[0] = int8(-128) // int8(-1)") == 128);
    CHECK(first("o[0] = int32(-2147483647 - 1) // int32(-1)") == -2147483648.0);
}

TEST_CASE("shifts by a count that is negative or too large") {
    CHECK(first("o[0] = int32(-8) >> int32(40)") == -1);
    CHECK(first("o[0] = int32(1) << int32(32)") == 0);
    CHECK(first("o[0] = int32(1) << int32(-1)") == 0);
    CHECK(first("o[0] = uint8(255) >> uint8(7)") == 1);
}

TEST_CASE("numbers and operators need no blanks between them") {
    for (auto const& [text, value] : {std::pair{"1+2", 3.},
                                      {"7-2-1", 4.},
                                      {"n-1", 8.},
                                      {"2e1+3", 23.},
                                      {"2e+1-3", 17.},
                                      {"5e-1+1", 1.5},
                                      {"0x1e+1", 31.},
                                      {"1.5-.5", 1.},
                                      {"1.-n", -8.},
                                      {"-1+n", 8.},
                                      {"3*2+1", 7.},
                                      {"2E1+n", 29.},
                                      {"0xe-0xE", 0.}}) {
        CAPTURE(text);
        CHECK(first("o[0] = " + std::string(text), 9) == value);
    }
}

TEST_CASE("a tab of an indentation goes on to the next multiple of 8 columns") {
    CHECK(first("if n == 1:\n     \tif n == 1:\n         o[0] = 7", 1) == 7);
    CHECK(first("if n == 1:\n     \tif n == 1:\n     \t o[0] = 7", 1) == 7);
    CHECK(first("if n == 1:\n    \t\tif n == 1:\n                 o[0] = 7", 1) == 7);
}

TEST_CASE("a backslash or a bracket continues a line, whichever way it ends") {
    for (std::string const end : {"\n", "\r\n"}) {
        CHECK(first("o[0] = 1 + \\" + end + "2 \\" + end + "- 8") == -5);
        CHECK(first("o[0] = (1 +" + end + end + "2)" + end + "    o[0] += 4") == 7);
    }
    CHECK_THROWS_AS(first("o[0] = 1 + \\ \n 2"), spio::error);
    CHECK_THROWS_AS(first("o[0] = 1 + \\\r 2"), spio::error);
}

TEST_CASE("complex numbers have + - and *") {
    auto const result = complex_numbers("z = 2j * complex128(3) + 1\n    o[0] = z * z - z");
    auto const z = std::complex<double>(1, 6);
    CHECK(result[0] == z * z - z);
}

TEST_CASE("and and or compute their right side only where it decides") {
    CHECK(first("if n < 16 and o[n] == 0: o[0] = 1", 99) == 0);
    CHECK(first("if n > 16 or o[n] == 0: o[0] = 1", 99) == 1);
}

TEST_CASE("operands are computed from left to right") {
    std::string const functions = "@cuda.jit(device=True)\ndef f(a, x):\n    a[1] = a[1] * 10 + x\n"
                                  "    return a[1]\n";
    CHECK(reals("o[0] = f(o, 1) * 1000000 + f(o, 2) * 1000 + o[1]", {.functions = functions})[0] ==
          1012012);
    CHECK(reals("o[0] = o[1] + f(o, 5)", {.functions = functions})[0] == 5);
    // The value before the index.
    CHECK(reals("o[int32(f(o, 1)) - 18] = f(o, 2)", {.functions = functions})[3] == 2);
    CHECK(reals("o[1] += f(o, 4)", {.functions = functions})[1] == 4);
}
