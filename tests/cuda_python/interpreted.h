// Bodies of kernels, run by the interpreter.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
#pragma once

#include "spio/launch_values.h"

#include <complex>
#include <string>
#include <vector>

namespace spio::cuda_python_test {

// Options of a run: the argument n, whether // and % round down as Python's do, the text before the
// kernel, and the threads.
struct interpreted_launch {
    int n = 0;
    bool has_floor_division = false;
    std::string functions = {};
    extent block = {}, grid = {};
};

// Runs the body of k(n, o): n is an int32, o an array of 16 zeros, which is returned.
std::vector<double> reals(std::string const& body, interpreted_launch const& = {});
std::vector<std::complex<double>> complex_numbers(std::string const& body);

} // namespace spio::cuda_python_test
