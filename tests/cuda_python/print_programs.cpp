// Prints random programs, for tests/python/dialect_random.py, by a first seed and a count.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become kernels. Each program is printed
// with its kernel, the types of the arguments, the number of threads, and whether // rounds down.
#include "tests/cuda_python/kernels.h"

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
    if (count != 3) return 2;
    auto const seed = static_cast<unsigned>(std::atoi(words[1]));
    auto const programs = static_cast<unsigned>(std::atoi(words[2]));
    for (auto const& test : spio::cuda_python_test::random_kernels(seed, programs)) {
        std::printf("#### %s | %s | %d | %d\n%s", test.kernel.c_str(), test.signature.c_str(),
                    test.threads, static_cast<int>(test.has_floor_division), test.text.c_str());
    }
}
