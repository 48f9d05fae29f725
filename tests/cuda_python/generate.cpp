// Writes the text of the kernels that the tests run on the host device: generate FILE COUNT STEP.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The tests compare
// what these kernels compute on the host device, as compiled C++, with what the interpreter
// computes. COUNT is the number of random programs; of all pairs of types that an operator takes,
// each STEP-th gets a kernel. The host device simulates a GPU on the CPU; the interpreter runs a
// program without a compiler.
#include "tests/cuda_python/execution.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <vector>

int main(int count, char** words) try {
    using namespace spio::cuda_python_test;
    if (count != 4) return 2;
    int const step = std::atoi(words[3]);
    auto kernels = random_kernels(/*first_seed=*/1, static_cast<unsigned>(std::atoi(words[2])));
    for (auto const& more :
         {operator_kernels(/*has_floor_division=*/false, step),
          operator_kernels(/*has_floor_division=*/true, step), math_kernels(), example_kernels()}) {
        kernels.insert(kernels.end(), more.begin(), more.end());
    }
    std::ofstream file(words[1]);
    file << host_text(kernels);
    return file.flush() ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
