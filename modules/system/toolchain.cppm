// Where CUDA is, and which options each of its compilers is given: the one place that knows.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

export module spio.system:toolchain;

export namespace spio {

// The folders that may hold CUDA, first the one to prefer: those that CUDA_HOME and CUDA_PATH name,
// the one that has the nvcc of PATH, /usr/local/cuda, and pip's wheels in the Python environments
// that VIRTUAL_ENV and CONDA_PREFIX name. Absolute paths alone; a folder need not exist.
// cmake/find_cuda.cmake is its twin for build systems.
std::vector<std::filesystem::path> cuda_folders();

// The folders that may hold libnvrtc.so, first the one to prefer: lib64, lib and targets/*/lib of
// cuda_folders(), lib of the Python environments, those of LD_LIBRARY_PATH, and the system's.
std::vector<std::filesystem::path> nvrtc_folders();

// The variables that the two functions above read, for messages and for `spio doctor`.
struct variable {
    std::string_view name, meaning;
};
std::vector<variable> toolchain_variables();

enum class compiler_kind { nvcc, clang, nvrtc };
std::string_view name_of(compiler_kind);

// The options for compiling kernel text, architecture included, in order. NVRTC and nvcc get the
// same options, as far as both have them. Files, include folders and the optimization level are not
// among them.
//     compiler_options(compiler_kind::nvcc, "sm_90a")
std::vector<std::string> compiler_options(compiler_kind, std::string_view arch);

} // namespace spio
