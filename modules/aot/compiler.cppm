// The compilers that make images ahead of time: nvcc, and clang with CUDA's assembler.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

export module spio.aot:compiler;

export namespace spio::aot {

enum class compiler_kind { nvcc, clang };
std::string_view name_of(compiler_kind);
std::optional<compiler_kind> compiler_named(std::string_view);

// A compiler, and how it is used. Spio's options come first, then these.
struct device_compiler {
    compiler_kind kind = compiler_kind::nvcc;
    std::filesystem::path program; // nvcc, or clang++
    std::filesystem::path cuda;    // the folder that has bin/ptxas and bin/fatbinary
    // Where else it looks: the kernels' own text is given to it.
    std::vector<std::filesystem::path> include_folders = {};
    std::vector<std::string> options = {};
    // Images are three to four times smaller, and the driver unpacks them.
    bool is_compressed = true;
};

// CUDA is in the folder that is named, or else in the first of those that CUDA_HOME, CUDA_PATH and
// PATH name, /usr/local/cuda, and pip's wheels of VIRTUAL_ENV and CONDA_PREFIX; clang is clang++-19
// or clang++ of PATH. Throws where was looked.
device_compiler find_compiler(compiler_kind, std::filesystem::path const& cuda = {});

// "nvcc 13.0.88", "clang 19.1.7 with ptxas 13.0.88": asked of the programs.
std::string version_of(device_compiler const&);

} // namespace spio::aot
