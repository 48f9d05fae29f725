// The programs of examples/cuda_python, in sizes that fill no block.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A signature has the
// types of the arguments; shapes are those of the arrays, numbers the other arguments.
#include "tests/cuda_python/kernels.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace spio::cuda_python_test {

namespace {

// A kernel of the folder examples/cuda_python.
test_kernel example(std::string const& name, std::string signature) {
    std::ifstream file(SPIO_EXAMPLES "/" + name + ".py");
    std::ostringstream text;
    text << file.rdbuf();
    return {.text = text.str(), .kernel = name, .signature = std::move(signature)};
}

} // namespace

std::vector<test_kernel> example_kernels() {
    auto axpy = example("axpy", "float32, float32[:], float32[:]");
    axpy.grid = {4, 1}, axpy.block = {64, 1};
    axpy.shapes = {{250}, {250}};
    axpy.numbers = {2.5}; // the factor
    auto matmul = example("matmul", "float32[:, :], float32[:, :], float32[:, :]");
    matmul.grid = {3, 2}, matmul.block = {8, 8};
    matmul.shapes = {{13, 19}, {19, 22}, {13, 22}};
    auto black_scholes =
        example("black_scholes", "float64[:], float64[:], float64[:], float64[:], float64[:]");
    black_scholes.grid = {2, 1}, black_scholes.block = {64, 1};
    black_scholes.shapes = {{100}, {100}, {100}, {100}, {100}};
    auto mandelbrot = example("mandelbrot", "float64, float64, float64, int32, uint16[:, :]");
    mandelbrot.grid = {3, 3}, mandelbrot.block = {8, 8};
    mandelbrot.shapes = {{20, 24}};
    mandelbrot.numbers = {-2, -1.25, 2.5, 50}; // the corner, the width, the most iterations
    auto laplace = example("laplace", "float64[:, :], float64[:, :], float64[:, :]");
    laplace.grid = {3, 2}, laplace.block = {8, 8};
    laplace.shapes = {{13, 20}, {13, 20}, {2, 3}};
    return {axpy, matmul, black_scholes, mandelbrot, laplace};
}

} // namespace spio::cuda_python_test
