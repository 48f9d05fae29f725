// Knows where CUDA is installed and how its compilers are called.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA is looked for in folders that the environment names, beside the nvcc of PATH, in the usual
// place, and in the wheels of NVIDIA that pip installs. A folder is listed, and not examined:
// callers look for the file that they need.
module;

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.system;

namespace spio {

namespace fs = std::filesystem;

namespace {

constexpr variable variables[] = {
    {"CUDA_HOME", "a toolkit of CUDA, asked first"},
    {"CUDA_PATH", "the same"},
    {"PATH", "programs: nvcc, whose toolkit is asked next, and clang++"},
    {"VIRTUAL_ENV", "a Python environment that may have CUDA in pip's wheels"},
    {"CONDA_PREFIX", "the same"},
    {"LD_LIBRARY_PATH", "folders that may have NVRTC"},
};

// An absolute path from an environment variable. A relative path would be another folder in each
// working directory.
fs::path absolute_path_in(char const* name) {
    fs::path const path = environment(name);
    return path.is_absolute() ? path : fs::path();
}

// All that is in a folder, in the order of the names.
std::vector<fs::path> folders_in(fs::path const& folder) {
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (fs::directory_iterator item(folder, ignored), end; item != end; item.increment(ignored)) {
        folders.push_back(item->path());
    }
    std::ranges::sort(folders);
    return folders;
}

std::vector<fs::path> python_environments() {
    std::vector<fs::path> found;
    for (auto const* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        auto const folder = absolute_path_in(name);
        if (!folder.empty()) found.push_back(folder);
    }
    return found;
}

// The folders of NVIDIA's wheels in a Python environment: cu13, cuda_nvrtc and others.
std::vector<fs::path> wheels_in(fs::path const& environment) {
    std::vector<fs::path> wheels;
    for (auto const& python : folders_in(environment / "lib")) {
        if (!python.filename().string().starts_with("python3")) continue;
        for (auto const& wheel : folders_in(python / "site-packages" / "nvidia")) {
            wheels.push_back(wheel);
        }
    }
    return wheels;
}

} // namespace

std::vector<variable> toolchain_variables() { return {std::begin(variables), std::end(variables)}; }

std::vector<fs::path> cuda_folders() {
    std::vector<fs::path> folders;
    for (auto const* name : {"CUDA_HOME", "CUDA_PATH"}) {
        auto const folder = absolute_path_in(name);
        if (!folder.empty()) folders.push_back(folder);
    }
    auto const nvcc = found_in_path("nvcc");
    std::error_code failed;
    auto const real = fs::canonical(nvcc, failed);
    if (!nvcc.empty() && !failed) folders.push_back(real.parent_path().parent_path());
    folders.emplace_back("/usr/local/cuda");
    for (auto const& environment : python_environments()) {
        for (auto const& wheel : wheels_in(environment)) {
            if (wheel.filename().string().starts_with("cu1")) folders.push_back(wheel);
        }
    }
    return folders;
}

std::vector<fs::path> nvrtc_folders() {
    std::vector<fs::path> folders;
    for (auto const& cuda : cuda_folders()) {
        for (auto const* part :
             {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
            folders.push_back(cuda / part);
        }
    }
    for (auto const& environment : python_environments()) {
        for (auto const& wheel : wheels_in(environment)) {
            if (wheel.filename() == "cuda_nvrtc") folders.push_back(wheel / "lib");
        }
        folders.push_back(environment / "lib");
    }
    auto const path = environment("LD_LIBRARY_PATH");
    for (std::string_view rest = path; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    for (auto const* folder :
         {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
        folders.emplace_back(folder);
    }
    std::erase_if(folders, [](fs::path const& folder) {
        std::error_code ignored;
        return !folder.is_absolute() || !fs::is_directory(folder, ignored);
    });
    return folders;
}

std::string_view name_of(compiler_kind kind) {
    switch (kind) {
    case compiler_kind::nvcc:
        return "nvcc";
    case compiler_kind::clang:
        return "clang";
    case compiler_kind::nvrtc:
        break;
    }
    return "nvrtc";
}

std::vector<std::string> compiler_options(compiler_kind kind, std::string_view arch) {
    switch (kind) {
    case compiler_kind::nvcc:
        return {"-std=c++20", "--expt-relaxed-constexpr", "-arch=" + std::string(arch)};
    case compiler_kind::clang:
        // CUDA's own driver would pack the image, by an option that CUDA 13 no longer has.
        return {"-x", "cuda", "-std=c++20", "--cuda-device-only", "-Wno-unknown-cuda-version",
                "-Wno-unknown-attributes",
                // clang does not unroll a loop with barriers by a factor, and would warn of it.
                "-Wno-pass-failed",
                "--cuda-gpu-arch=sm_" + std::string(arch.substr(arch.find('_') + 1))};
    case compiler_kind::nvrtc:
        break;
    }
    return {"-arch=" + std::string(arch), "-std=c++20", "-default-device",
            // By default NVRTC raises the stack limit of the whole process.
            "--modify-stack-limit=false",
            // No header may come from the working directory of the program.
            "--no-source-include",
            // Leaves out textures and the types of the runtime, which saves 3 ms per compilation.
            "--minimal"};
}

} // namespace spio
