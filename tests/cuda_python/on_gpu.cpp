// The GPU computes what the interpreter does: cuda_python_on_gpu PROGRAMS [SEED THREADS].
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
//
// All operators of all pairs of types and random programs agree to the bit, the functions of math
// within a relative difference of 1e-6 for floats; and it prints how long a new kernel takes until
// its first result. With a SEED there are random programs alone, from that seed on, so that several
// processes can share them.
#include "tests/cuda_python/execution.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace spio::cuda_python_test;
using clock_type = std::chrono::steady_clock;

double milliseconds_since(clock_type::time_point start) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - start).count();
}

// Compares kernels in several threads, prints a line on them all and the first differences, and
// returns the number of kernels whose results differ by more than the tolerance.
std::size_t run(char const* name, std::vector<test_kernel> const& kernels, double tolerance = 0,
                unsigned thread_count = std::thread::hardware_concurrency()) {
    auto const start = clock_type::now();
    std::atomic<std::size_t> next = 0, elements = 0, failures = 0;
    double worst = 0;
    std::mutex mutex;
    auto const work = [&] {
        for (std::size_t i = next++; i < kernels.size(); i = next++) {
            std::string difference;
            try {
                auto const result = compare(kernels[i], target::gpu, tolerance);
                difference = result.difference;
                elements += result.elements;
                std::lock_guard const lock(mutex);
                worst = std::max(worst, result.worst);
            } catch (std::exception const& error) {
                difference = kernels[i].kernel + ": " + error.what();
            }
            if (difference.empty()) continue;
            std::lock_guard const lock(mutex);
            if (failures++ < 10) std::printf("%s\n", difference.c_str());
            std::fflush(stdout);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
    std::printf("figure: %s: %zu kernels, %zu elements, %zu kernels differ, worst %.3g, %.1f s\n",
                name, kernels.size(), elements.load(), failures.load(), worst,
                milliseconds_since(start) / 1000);
    std::fflush(stdout);
    return failures;
}

} // namespace

int main(int count, char** words) try {
    auto const programs = static_cast<unsigned>(count > 1 ? std::atoi(words[1]) : 1000);
    if (count > 3) {
        auto const seed = static_cast<unsigned>(std::atoi(words[2]));
        auto const threads = static_cast<unsigned>(std::atoi(words[3]));
        auto const failures =
            run("random programs", random_kernels(seed, programs), /*tolerance=*/0, threads);
        return failures == 0 ? 0 : 1;
    }
    // Of three kernels that are compiled for the first time, the first opens the driver and NVRTC
    // too. Their seed is beyond those of all other programs.
    auto const cold = random_kernels(/*first_seed=*/1000001, /*count=*/3);
    for (auto const& kernel : cold) {
        auto const start = clock_type::now();
        auto const result = compare(kernel, target::gpu);
        std::printf("figure: cold kernel: %.1f ms %s\n", milliseconds_since(start),
                    result.difference.c_str());
    }
    // The examples, compiled by NVRTC, and then taken from memory.
    for (auto const* const occasion : {"first", "second"}) {
        for (auto const& kernel : example_kernels()) {
            auto const start = clock_type::now();
            auto const result = compare(kernel, target::gpu, /*tolerance=*/1e-5);
            std::printf("figure: %s, %s time: %.1f ms, worst %.3g %s\n", kernel.kernel.c_str(),
                        occasion, milliseconds_since(start), result.worst,
                        result.difference.c_str());
        }
    }
    std::size_t failures = run("math", math_kernels(), /*tolerance=*/1e-6);
    failures += run("operators", operator_kernels(/*has_floor_division=*/false, /*step=*/1));
    failures +=
        run("operators that floor", operator_kernels(/*has_floor_division=*/true, /*step=*/1));
    failures += run("negatives", negative_kernels());
    // Here ptxas 13.0 shifted a number instead of its negative, or forgot that one has 8 bits.
    failures += run("a program that differed", random_kernels(/*first_seed=*/8014, /*count=*/1));
    failures += run("another one", random_kernels(/*first_seed=*/47606, /*count=*/1));
    failures += run("random programs", random_kernels(/*first_seed=*/1, programs));
    return failures == 0 ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
