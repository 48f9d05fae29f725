// Kernels whose results on a device are compared with the interpreter's.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spio::cuda_python_test {

// A program, and how its kernel is launched.
struct test_kernel {
    std::string text;
    std::string kernel;              // its name
    std::string signature;           // the types of its arguments
    int threads = 64;                // and elements of each array
    bool has_floor_division = false; // whether // and % round down as Python's do
    // Where blocks or arrays have two dimensions: blocks, threads of a block, and the shape of each
    // array; and the values of parameters that are numbers.
    std::vector<int> grid = {}, block = {};
    std::vector<std::vector<int>> shapes = {};
    std::vector<double> numbers = {};
};

// The types of numbers but bool, in the order of the tables.
inline constexpr std::string_view number_types[] = {
    "int8",   "int16",  "int32",   "int64",   "uint8",     "uint16",
    "uint32", "uint64", "float32", "float64", "complex64", "complex128"};

// The type of `left operator right`, as the tables have it; empty where there is none.
std::string result_type(std::string_view operation, std::string_view left, std::string_view right);

// A kernel for each pair of types, with all operators, and - and ~ of one operand. Threads pair all
// values of interest. Of the pairs of two types every `step`-th is taken.
std::vector<test_kernel> operator_kernels(bool has_floor_division, int step);
// A kernel for each of the 28 functions of math.
std::vector<test_kernel> math_kernels();
// Kernels that take negatives, spelled in many ways, and widen, shift, divide or add them. For some
// of these ptxas 13.0 makes wrong code.
std::vector<test_kernel> negative_kernels();
// Kernels that are well-typed, and of which each thread stores to its own elements alone.
std::vector<test_kernel> random_kernels(unsigned first_seed, unsigned count);

// The programs of examples/cuda_python.
std::vector<test_kernel> example_kernels();

// Bytes of an array of `count` numbers: values of interest, so that two arrays of one kernel pair
// all of them if `number` is that of the array.
std::vector<unsigned char> values_of_interest(std::string_view type, int count, int number);
inline constexpr int interesting_count = 12; // values of each type

} // namespace spio::cuda_python_test
