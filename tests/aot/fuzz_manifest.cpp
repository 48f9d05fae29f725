// A fuzz target: manifests (a kernel a line), whose lines are read back from what was understood.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation.
//
// tests/fuzz.cmake has it run 5000 times, in nightly tests a million. For longer:
//     build/ci/tests/aot/fuzz_manifest -runs=10000000 -max_len=256 -dict=tests/aot/manifest.dict
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

import spio.aot;
import spio.axpby;
import spio.layernorm_2d;
import spio.spec;

static std::size_t understood_count = 0, refused_count = 0;

// Called at the end of the program.
static void print_figure() {
    std::printf("summary: aot.fuzz_manifest: %zu lines understood and %zu manifests refused\n",
                understood_count, refused_count);
}

extern "C" int LLVMFuzzerInitialize(int*, char***) { return std::atexit(print_figure); }

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    spio::family const families[] = {spio::axpby::family_entry(),
                                     spio::layernorm_2d::family_entry()};
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        for (auto const& kernel : spio::aot::specs_of(text, "m", families, spio::sm_90a)) {
            ++understood_count;
            // The kernel's own line, which a pack keeps, must give this kernel again.
            bool is_there = false;
            for (auto const& repeated :
                 spio::specs_of_line(kernel.line(), families, spio::sm_90a)) {
                is_there |= repeated.symbol == kernel.symbol && repeated.source == kernel.source;
            }
            if (!is_there) std::abort();
        }
    } catch (spio::error const&) {
        ++refused_count;
    }
    return 0;
}
