// Finds the compilers of the device, and asks them for their versions.
// SPDX-License-Identifier: Apache-2.0
//
// distrust() returns why a program must not be run: other users could have written it. It is empty
// if they could not. A compiler is a program, nvcc or clang++, and the CUDA folder whose ptxas and
// fatbinary are used with it.
module;

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

module spio.aot;

import spio.spec;
import spio.system;

namespace spio::aot {

namespace fs = std::filesystem;

namespace {

// Whether the folder of CUDA has an executable of this name.
bool has_program(fs::path const& cuda, char const* name) {
    return access((cuda / "bin" / name).c_str(), X_OK) == 0;
}

// Refuses a program that other users could have written.
void check_trust(fs::path const& program) {
    auto const reason = distrust(program);
    if (!reason.empty()) throw error(error_kind::io, "run", program.string(), reason);
}

// Runs a program and returns the word that follows `text` in its output.
std::string word_behind(std::string const& text, fs::path const& program) {
    check_trust(program);
    auto const result = run({program.string(), "--version"});
    auto const position = result.output.find(text);
    if (result.status != 0 || position == result.output.npos) {
        throw error(error_kind::tool_failed, "ask the version", program.string(),
                    "status " + std::to_string(result.status), result.output);
    }
    auto const start = position + text.size();
    return result.output.substr(start, result.output.find_first_of(" \n,", start) - start);
}
std::string cuda_version(fs::path const& program) { return word_behind(", V", program); }

// Refuses a compiler before CUDA 13: it does not know the options that Spio passes.
void check_version(fs::path const& program) {
    auto const version = cuda_version(program);
    if (std::atoi(version.c_str()) >= 13) return;
    throw error(error_kind::unsupported, "find", program.string(),
                "it is of CUDA " + version + ", and 13.0 is the least");
}

fs::path find_clang() {
    for (auto const* name : {"clang++-19", "clang++"}) {
        auto const program = found_in_path(name);
        if (!program.empty()) return program;
    }
    throw error(error_kind::not_found, "find", "clang", "PATH has neither clang++-19 nor clang++");
}

} // namespace

std::optional<compiler_kind> compiler_named(std::string_view name) {
    for (auto const kind : {compiler_kind::nvcc, compiler_kind::clang}) {
        if (name_of(kind) == name) return kind;
    }
    return {};
}

device_compiler find_compiler(compiler_kind kind, fs::path const& cuda) {
    auto const folders = cuda.empty() ? cuda_folders() : std::vector{fs::absolute(cuda)};
    std::vector<char const*> tools = {"fatbinary", "ptxas"};
    if (kind == compiler_kind::nvcc) tools.push_back("nvcc");
    auto const found = std::ranges::find_if(folders, [&](fs::path const& folder) {
        return std::ranges::all_of(tools,
                                   [&](char const* tool) { return has_program(folder, tool); });
    });
    if (found == folders.end()) {
        std::string places;
        for (auto const& folder : folders) places += (places.empty() ? "" : ", ") + folder.string();
        throw error(error_kind::not_found, "find", "CUDA's compilers",
                    "no folder with bin/ptxas, bin/fatbinary" +
                        std::string(kind == compiler_kind::nvcc ? " and bin/nvcc" : "") +
                        "; looked in " + places);
    }
    for (auto const* tool : tools) check_trust(*found / "bin" / tool);
    check_version(*found / "bin" / tools.back());
    if (kind == compiler_kind::nvcc) {
        return {.kind = kind, .program = *found / "bin" / "nvcc", .cuda = *found};
    }
    return {.kind = kind, .program = find_clang(), .cuda = *found};
}

std::string version_of(device_compiler const& compiler) {
    for (auto const* tool : {"fatbinary", "ptxas"}) check_trust(compiler.cuda / "bin" / tool);
    if (compiler.kind == compiler_kind::nvcc) return "nvcc " + cuda_version(compiler.program);
    return "clang " + word_behind("clang version ", compiler.program) + " with ptxas " +
           cuda_version(compiler.cuda / "bin" / "ptxas");
}

bool brings_files(std::string_view option) {
    if (option.starts_with("-D")) return false; // its value is no option
    constexpr std::string_view separators = " ,=\"'";
    // Of nvcc, its front end (cudafe), clang and gcc: what begins so is a header, a file of
    // options, a program or library in the place of theirs, a plugin, a profile or a module.
    constexpr std::string_view starts[] = {
        "-I",    "-i",          "--incl",        "--imacros", "--pre-incl", "--preincl",   "--sys",
        "@",     "--options-f", "-optf",         "--config",  "-specs",     "--specs",     "-B",
        "-load", "-fplugin",    "-fpass-plugin", "-fprofile", "-fmodule-",  "--libdevice", "-ldir"};
    for (std::size_t first = 0; first < option.size();) {
        auto const end = std::min(option.find_first_of(separators, first), option.size());
        auto const part = option.substr(first, end - first);
        if (std::ranges::any_of(starts, [&](auto start) { return part.starts_with(start); })) {
            return true;
        }
        first = end + 1;
    }
    return false;
}

} // namespace spio::aot
