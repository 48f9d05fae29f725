// A fuzz target: whatever the text, there is a kernel or one error with a place and a rule.
// SPDX-License-Identifier: Apache-2.0
//
//     build/ci/tests/cuda_python/fuzz_cuda_python -runs=10000000 -max_len=400
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. An error of a
// program has a diagnostic: its place, the rule that is broken (a section of docs/cuda_python.md),
// and words.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

import spio.cuda_python;

namespace py = spio::cuda_python;

namespace {

std::size_t compiled_count = 0, refused_count = 0;

// Ends the fuzzer, which then reports the text, if a condition does not hold.
void expect(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return std::atexit([] {
        std::printf("figure: cuda_python.fuzz: %zu programs compiled and %zu refused\n",
                    compiled_count, refused_count);
    });
}

// The first byte says whether the text is a file or the body of a kernel.
extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    if (size == 0) return 0;
    std::string text(reinterpret_cast<char const*>(data) + 1, size - 1);
    if (data[0] % 4 != 0) {
        text = "@cuda.jit(device=True)\ndef f(x, y):\n    return x + y\n"
               "@cuda.jit\ndef k(n, a, b):\n    x = n\n    " +
               text;
    }
    try {
        py::program const program({.name = "k.py", .text = text});
        auto const kernel = program.compile("k", "int32, float32[:], float32[:, :]");
        // While a text is written, '@' stands for the kernel's symbol; none must be left.
        expect(!kernel.text.empty() && kernel.text.find('@') == std::string::npos);
        ++compiled_count;
    } catch (py::program_error const& e) {
        ++refused_count;
        auto const& problem = e.diagnostic();
        expect(!problem.rule.empty() && problem.place.line > 0 && problem.place.column > 0);
        expect(e.log().size() < 10000 && problem.message.size() < 400);
        for (char const c : e.log()) expect((c >= ' ' && c != '\x7f') || c == '\n');
    } catch (spio::error const& e) {
        // The file has no kernel of this name.
        expect(e.kind() == spio::error_kind::not_found);
        ++refused_count;
    }
    return 0;
}
