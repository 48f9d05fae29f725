// Random programs compute on the host device what the interpreter does.
// SPDX-License-Identifier: Apache-2.0
//
//     cuda_python_on_host SEED COUNT COMPILER OPTIONS...
//
// The compiler makes a library of COUNT programs. Its options name the folders of headers and what
// makes each access a call of the thread sanitizer, as cmake/host_device.cmake has them for
// clang++. The interpreter runs a program of CUDA Python, a statically typed Python, without a
// compiler.
#include "tests/cuda_python/execution.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace spio::cuda_python_test;
namespace fs = std::filesystem;

// Runs a command of the shell, which must succeed.
void run(std::string const& command) {
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " fails");
}

// Compiles the kernels and loads them; the host device then finds them in this program. The library
// is linked without the options, since the host device has the functions of the thread sanitizer.
void load(std::vector<test_kernel> const& kernels, fs::path const& folder,
          std::string const& compiler, std::string const& options) {
    auto const stem = (folder / "kernels").string();
    std::ofstream(stem + ".cpp") << host_text(kernels);
    run(compiler + " -std=c++20 -w -ffp-contract=off -fPIC -include sim/device_text.h" + options +
        " -c " + stem + ".cpp -o " + stem + ".o");
    run(compiler + " -shared -Wl,-Bsymbolic-functions " + stem + ".o -o " + stem + ".so");
    if (dlopen((stem + ".so").c_str(), RTLD_NOW) == nullptr) throw std::runtime_error(dlerror());
}

} // namespace

int main(int count, char** words) try {
    if (count < 4) return 2;
    auto const seed = static_cast<unsigned>(std::atoi(words[1]));
    auto const kernels = random_kernels(seed, static_cast<unsigned>(std::atoi(words[2])));
    std::string options;
    for (int i = 4; i < count; ++i) options += " " + std::string(words[i]);
    auto const folder = fs::temp_directory_path() / ("spio_random_" + std::string(words[1]));
    fs::create_directories(folder);
    load(kernels, folder, words[3], options);
    fs::remove_all(folder);

    std::size_t elements = 0, failures = 0;
    for (auto const& kernel : kernels) {
        std::string difference;
        try {
            auto const result = compare(kernel, target::host);
            difference = result.difference;
            elements += result.elements;
        } catch (std::exception const& error) {
            difference = kernel.kernel + ": " + error.what();
        }
        if (difference.empty()) continue;
        ++failures;
        std::printf("%s\n%s\n", difference.c_str(), kernel.text.c_str());
    }
    std::printf(
        "figure: random programs from %u: %zu programs, %zu elements, %zu programs differ\n", seed,
        kernels.size(), elements, failures);
    return failures == 0 ? 0 : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
