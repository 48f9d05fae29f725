// A program that ends while its background thread chooses and compiles kernels.
// SPDX-License-Identifier: Apache-2.0
//
// As in Python, nobody destroys the runtime. A generic kernel serves every layer with the same
// filter; the background thread compiles the kernels of each layer alone. What it uses must be
// there until it has ended, although exit() destroys static objects. The driver and NVRTC are
// fakes. With the argument `first` the program ends within the first compilation, otherwise after
// it. A pack is a file of compiled kernels; a policy says whether kernels come from packs or from a
// compiler.
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

import spio.aot;
import spio.cache;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.fake_driver;
import spio.fake_images;
import spio.fake_nvrtc;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;

static void pause(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

using entries = jit::nvrtc_entries;

// NVRTC too makes objects in its first compilation that exit() destroys.
static std::atomic<bool> has_begun = false;
static int milliseconds_of_compilation = 1;
static entries::result compile(entries::program program, int count, char const* const* options) {
    static std::vector<int> const object(1000, 1);
    has_begun = true;
    pause(milliseconds_of_compilation);
    return fake::nvrtc.compile_program(program, count * object.front(), options);
}

int main(int count, char** words) {
    try {
        bool const ends_within_first = count > 1 && std::string(words[1]) == "first";
        if (ends_within_first) milliseconds_of_compilation = 200;
        test::folder const folder;
        fake::the_machine().params_bytes = [](std::string const& name) {
            if (name.starts_with("conv2d_wgrad_reduce_")) {
                return sizeof(conv2d::wgrad_reduce::params);
            }
            return name.starts_with("conv2d_wgrad_") ? sizeof(conv2d::wgrad_tma::params)
                                                     : sizeof(conv2d::tma::params);
        };
        cache::options cache;
        cache.folder = folder.path;
        static auto const& pack =
            *new std::vector<std::byte>(fake::pack_bytes(fake::generic_specs()));
        static auto const& driver = *new cuda::driver(fake::find);
        auto functions = fake::nvrtc;
        functions.compile_program = compile;
        static auto const& compiler = *new jit::nvrtc(functions, "fake");
        static auto const& gpu =
            *new runtime({.policy = policy::generic_then_jit,
                          .generic_images = aot::pack(pack, "a test", /*keeper=*/{}),
                          .cache = cache,
                          .driver = &driver,
                          .compiler = &compiler});
        static auto& gradients = *new std::vector<conv2d::weight_gradient>();
        constexpr int layers = 200; // more than the thread has done when the program ends
        for (int c = 8; c <= 8 * layers; c += 8) {
            gradients.emplace_back(
                gpu,
                fake::layer_of("n=256 h=7 w=7 pass=wgrad made_for=any_n c=" + std::to_string(c)));
            // exit() works backwards: it destroys what was made after this, waits here, and then
            // ends the thread, which was begun by the first layer.
            if (c == 8) std::atexit([] { pause(300); });
        }
        // What the thread needs once is there when the first kernel is compiled.
        while (ends_within_first ? !has_begun : gpu.count_tiers().compiled == 0) {
            pause(1);
        }
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
