// What a launch of a kernel of CUDA Python costs from C++, for a machine with a GPU.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become kernels. An array is an address,
// extents and strides, so that a launch with many arrays has a large parameter.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

import spio.cuda_python;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

// The host's time for a launch of a kernel with so many arrays, which does nothing.
void time_launches(spio::runtime const& gpu, int arrays) {
    std::string names, types;
    for (int i = 0; i < arrays; ++i) {
        names += (i == 0 ? "a" : ", a") + std::to_string(i);
        types += i == 0 ? "float32[:]" : ", float32[:]";
    }
    spio::cuda_python::program const program(
        {.name = "empty", .text = "@cuda.jit\ndef empty(" + names + "): pass\n"});
    auto const kernel = program.compile("empty", "void(" + types + ")");
    auto const spec = kernel.specialize(/*block=*/{32}, gpu.arch());
    auto const backend = gpu.target_device().shared_backend();
    auto const loaded = backend->load(gpu.all_images().find(spec));
    auto const queue = backend->borrow_queue(nullptr); // the default stream
    std::vector<unsigned char> const params(kernel.params_bytes);
    double best = 1e9; // microseconds of a launch, of all rounds
    for (int round = 0; round < 50; ++round) {
        constexpr int count = 500;
        auto const start = clock::now();
        for (int i = 0; i < count; ++i)
            queue->launch(*loaded, spec.over(/*grid=*/{}), params.data());
        best = std::min(best, 1000 * milliseconds_since(start) / count);
        queue->synchronize();
    }
    std::printf("figure: launch by C++ of a kernel with %d arrays: %.2f us\n", arrays, best);
}

} // namespace

int main() try {
    spio::runtime const gpu;
    for (int const arrays : {0, 1, 2, 4, 8}) time_launches(gpu, arrays);
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
