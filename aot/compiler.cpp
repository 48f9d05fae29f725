// Finds compilers, and asks them who they are.
// SPDX-License-Identifier: Apache-2.0
module;

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.aot;

import spio.spec;
import :process;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

constexpr std::pair<compiler_kind, std::string_view> kinds[] = {
    {compiler_kind::nvcc, "nvcc"},
    {compiler_kind::clang, "clang"},
};

void add_wheels(std::vector<fs::path>& all, fs::path const& environment) {
    std::error_code none;
    for (auto const& python : fs::directory_iterator(environment / "lib", none)) {
        auto const wheels = python.path() / "site-packages" / "nvidia";
        for (auto const& each : fs::directory_iterator(wheels, none)) {
            if (each.path().filename().string().starts_with("cu1")) all.push_back(each.path());
        }
    }
}

std::vector<fs::path> folders_of_cuda() {
    std::vector<fs::path> all;
    auto const named = [](char const* variable) -> fs::path {
        char const* const said = std::getenv(variable);
        return said == nullptr ? "" : said;
    };
    for (auto const* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (!named(variable).empty()) all.push_back(named(variable));
    }
    std::error_code none;
    auto const nvcc = found_in_path("nvcc");
    if (!nvcc.empty()) all.push_back(fs::canonical(nvcc, none).parent_path().parent_path());
    all.emplace_back("/usr/local/cuda");
    for (auto const* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        if (!named(variable).empty()) add_wheels(all, named(variable));
    }
    return all;
}

bool has(fs::path const& cuda, char const* tool) {
    return access((cuda / "bin" / tool).c_str(), X_OK) == 0;
}

// The word behind another in what a program says of itself.
std::string word_after(std::string const& before, std::vector<std::string> const& words) {
    auto const done = run(words);
    auto const at = done.said.find(before);
    if (done.status != 0 || at == done.said.npos) {
        throw error(error_kind::tool_failed, "ask the version", words[0],
                    "status " + std::to_string(done.status) + ", it says: " + done.said);
    }
    auto const begin = at + before.size();
    return done.said.substr(begin, done.said.find_first_of(" \n,", begin) - begin);
}

// Compilers before CUDA 13 do not know the options that they are given.
void refuse_old(fs::path const& program) {
    auto const version = word_after(", V", {program.string(), "--version"});
    if (std::atoi(version.c_str()) >= 13) return;
    throw error(error_kind::no_compiler, "find", program.string(),
                "it is of CUDA " + version + ", and 13.0 is the least");
}

} // namespace

std::string_view name_of(compiler_kind kind) {
    auto const found =
        std::ranges::find(kinds, kind, &std::pair<compiler_kind, std::string_view>::first);
    return found == std::end(kinds) ? "unknown" : found->second;
}

std::optional<compiler_kind> compiler_named(std::string_view name) {
    for (auto const& [kind, known] : kinds) {
        if (known == name) return kind;
    }
    return {};
}

device_compiler find_compiler(compiler_kind kind, fs::path const& cuda) {
    auto const folders = cuda.empty() ? folders_of_cuda() : std::vector{cuda};
    std::vector<char const*> tools = {"fatbinary", "ptxas"};
    if (kind == compiler_kind::nvcc) tools.push_back("nvcc");
    auto const found = std::ranges::find_if(folders, [&](fs::path const& folder) {
        return std::ranges::all_of(tools, [&](char const* tool) { return has(folder, tool); });
    });
    if (found == folders.end()) {
        std::string looked;
        for (auto const& each : folders) looked += (looked.empty() ? "" : ", ") + each.string();
        throw error(error_kind::no_compiler, "find", "CUDA's compilers",
                    "no folder with bin/ptxas, bin/fatbinary" +
                        std::string(kind == compiler_kind::nvcc ? " and bin/nvcc" : "") +
                        "; looked in " + looked);
    }
    refuse_old(*found / "bin" / tools.back());
    if (kind == compiler_kind::nvcc) {
        return {.kind = kind, .program = *found / "bin" / "nvcc", .cuda = *found};
    }
    for (auto const* name : {"clang++-19", "clang++"}) {
        auto const program = found_in_path(name);
        if (!program.empty()) return {.kind = kind, .program = program, .cuda = *found};
    }
    throw error(error_kind::no_compiler, "find", "clang",
                "PATH has neither clang++-19 nor clang++");
}

std::string version_of(device_compiler const& by) {
    auto const of_cuda = [](fs::path const& program) {
        return word_after(", V", {program.string(), "--version"});
    };
    if (by.kind == compiler_kind::nvcc) return "nvcc " + of_cuda(by.program);
    return "clang " + word_after("clang version ", {by.program.string(), "--version"}) +
           " with ptxas " + of_cuda(by.cuda / "bin" / "ptxas");
}

} // namespace spio::aot
