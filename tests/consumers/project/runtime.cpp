// Links nothing of CUDA, and finds it or says that it is not there.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

import spio.cache;
import spio.cuda;
import spio.jit;

int main() {
    std::printf("%zu headers\n", spio::jit::kernel_text().size());
    std::printf("%s\n", spio::cache::hexadecimal(spio::cache::sha256_of({})).c_str());
    try {
        std::printf("%d devices\n", spio::cuda::driver().device_count());
    } catch (spio::cuda::error const& e) {
        std::printf("%s\n", e.what());
    }
    try {
        std::printf("NVRTC %d\n", spio::jit::nvrtc().major());
    } catch (spio::jit::nvrtc_error const& e) {
        std::printf("%s\n", e.what());
    }
}
