// The wheel's launches from many threads, on fake GPUs: convolutions begin with generic kernels.
// SPDX-License-Identifier: Apache-2.0
//
// These are the functions that PyTorch's operators call. A generic kernel serves every layer with
// the same filter; a background thread compiles the kernel for the layer alone, which takes over
// between launches. A place is a stream of a GPU. The driver and NVRTC are fakes, behind a library
// that has their names. fake::the_machine() has the state of the fake driver.
#include <doctest/doctest.h>

#include "python/operators/launches.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

import spio.conv2d;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.jit;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

// The functions that are called by the names of CUDA's driver and of NVRTC: one that finds those of
// the driver, then NVRTC's. stand_in.cpp, which is built as their library, has the array.
extern "C" void* stand_in_functions[12];

namespace {

using namespace spio::pytorch;

// launch() makes two numbers of channels alternate and two sizes of images change every third time,
// so that six layers are all combinations. In 200 rounds of each thread, better kernels take over
// while launches go on.
constexpr int thread_count = 8, rounds = 200, layers = 6;

// The bytes of a kernel's parameters, which the fake driver copies at a launch.
std::size_t params_bytes_of(std::string const& name) {
    if (name.starts_with("conv2d_wgrad_reduce_")) return sizeof(spio::conv2d::wgrad_reduce::params);
    if (name.starts_with("conv2d_wgrad_")) return sizeof(spio::conv2d::wgrad_tma::params);
    if (name.starts_with("conv2d_")) return sizeof(spio::conv2d::tma::params);
    if (name.starts_with("matmul_")) return sizeof(spio::matmul::wgmma::params);
    return sizeof(spio::layernorm_2d::params_of<spio::half>);
}

void set_fakes() {
    fake::the_machine().params_bytes = params_bytes_of;
    auto const& nvrtc = fake::nvrtc;
    void* const functions[] = {
        reinterpret_cast<void*>(fake::find),
        reinterpret_cast<void*>(nvrtc.version),
        reinterpret_cast<void*>(nvrtc.error_string),
        reinterpret_cast<void*>(nvrtc.create_program),
        reinterpret_cast<void*>(nvrtc.destroy_program),
        reinterpret_cast<void*>(nvrtc.compile_program),
        reinterpret_cast<void*>(nvrtc.cubin_size),
        reinterpret_cast<void*>(nvrtc.cubin),
        reinterpret_cast<void*>(nvrtc.ptx_size),
        reinterpret_cast<void*>(nvrtc.ptx),
        reinterpret_cast<void*>(nvrtc.log_size),
        reinterpret_cast<void*>(nvrtc.log),
    };
    std::size_t next = 0;
    for (auto* const function : functions) stand_in_functions[next++] = function;
}

// The passes of the layer with this number, a norm and a product. Layers have 7 x 7 images, where
// the kernels for the layer alone are better, or 40 x 40.
void launch(place const& place, int number, void* memory) {
    conv2d_sizes const sizes = {.n = 1 + number,
                                .c = number % 2 == 0 ? 1152 : 64,
                                .h = number % 3 == 0 ? 7 : 40,
                                .w = number % 3 == 0 ? 7 : 40,
                                .r = 3,
                                .s = 3,
                                .window = {.pad_h = 1, .pad_w = 1}};
    conv2d(place, sizes, /*x=*/memory, /*filter=*/memory, /*bias=*/nullptr, /*y=*/memory);
    conv2d_input_gradient(place, sizes, /*dy=*/memory, /*filter=*/memory, /*dx=*/memory);
    weight_gradient_request const request = {.sizes = sizes};
    auto const floats = workspace_floats(place, request);
    conv2d_weight_gradient(place, request,
                           {.x = memory,
                            .dy = memory,
                            .dw = memory,
                            .dbias = nullptr,
                            .workspace = static_cast<float*>(memory),
                            .workspace_floats = floats});
    layernorm_2d(place, {.positions = 100, .channels = 64 + 8 * number, .epsilon = 1e-6F},
                 /*x=*/memory, /*weight=*/nullptr, /*bias=*/nullptr, /*y=*/memory);
    matrix const rows = {.data = memory, .leading = 256};
    matmul(place,
           {.m = 128 << number % 2,
            .n = 256,
            .k = 256,
            .batch = 1,
            .type = element::fp16,
            .result = element::fp16},
           /*a=*/rows, /*b=*/rows, /*bias=*/nullptr, /*residual=*/{}, /*result=*/rows);
}

} // namespace

TEST_CASE("operators launch from many threads, on two GPUs, in streams and modes of their own") {
    spio::test::folder const folder;
    setenv("SPIO_CACHE_DIR", folder.path.c_str(), 1);
    setenv("SPIO_NVRTC", (std::filesystem::current_path() / "libcuda.so.1").c_str(), 1);
    set_fakes();
    spio::cuda::driver const driver(fake::find);
    std::vector<spio::cuda::context> contexts;
    for (int gpu = 0; gpu < 2; ++gpu) contexts.emplace_back(driver.device(gpu));
    std::barrier start(thread_count);
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&, thread] {
            int const gpu = thread % 2;
            auto const& context = contexts[static_cast<std::size_t>(gpu)];
            spio::cuda::stream const own(context);
            spio::cuda::memory const memory(context, 1 << 20);
            place const own_place = {.gpu = gpu,
                                     .stream = spio::cuda::stream_ref(own).handle(),
                                     .keeps_kernels = thread % 4 == 3};
            start.arrive_and_wait();
            try {
                for (int round = 0; round < rounds; ++round) {
                    launch(own_place, (round + thread) % layers,
                           reinterpret_cast<void*>(memory.address()));
                }
            } catch (std::exception const& e) {
                ++failures;
                std::fprintf(stderr, "%s\n", e.what());
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(failures == 0);
    // The norms and the products have no generic kernels: NVRTC compiles them.
    CHECK(fake::compilations.load() > layers);
    CHECK(generic_kernels().ends_with(" for sm_90a"));
}
