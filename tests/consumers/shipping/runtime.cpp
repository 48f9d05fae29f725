// Links nothing of CUDA, and finds it or says that it is not there.
// SPDX-License-Identifier: Apache-2.0
//
// It uses each part of the library that looks for CUDA's files at run time, and ends with success
// on a machine that has none. An image is a compiled kernel, a spec what it is compiled from; a
// manifest lists the kernels of a pack, one on each line. A pack is a file of images; a policy says
// whether they come from packs or from a compiler.
#include <cstdio>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

int main() {
    std::printf("%zu headers\n", spio::jit::kernel_text().size());
    std::printf("%s\n", spio::cache::hexadecimal(spio::cache::sha256_of({})).c_str());
    try {
        std::printf("%d devices\n", spio::cuda::driver().device_count());
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
    }
    try {
        std::printf("NVRTC %d\n", spio::jit::nvrtc().major());
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
    }
    // There is no pack to find the image in, and the policy aot_only forbids to compile it.
    spio::no_source const no_pack;
    spio::jit::just_in_time const compiler;
    spio::images const images(no_pack, compiler, spio::policy::aot_only);
    try {
        images.find(spio::axpby::specialize({.n = 1000}, spio::sm_80));
        return 1;
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
    }
    std::printf("%s",
                spio::layernorm_2d::specialize({.channels = 64}, spio::sm_90a).source.c_str());
    return spio::aot::lines_of("axpby n=1\n").size() == 1 ? 0 : 1;
}
