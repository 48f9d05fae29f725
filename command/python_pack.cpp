// Kernels of CUDA Python in packs: a line of a manifest that names a file and a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become kernels. A manifest is a list of
// kernels to be packed, one problem a line; a spec is what a kernel is compiled from. A family is
// the kernels of one operation.
module;

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.cuda_python;
import spio.families;
import spio.spec;
import spio.system;

namespace spio::command {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
    auto const begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// "axpy.py axpy", or "axpy.py axpy(float32, float32[:], float32[:])" where the decorator has no
// types.
std::vector<spec> specs_of_file(std::string_view problem, arch arch, config_source const&) {
    problem = trimmed(problem);
    auto const end = std::min(problem.find_first_of(blanks), problem.size());
    std::string const file(problem.substr(0, end));
    auto const call = trimmed(problem.substr(end));
    auto const bracket = std::min(call.find('('), call.size());
    auto const fail = [&](error_kind kind, std::string reason) {
        throw error(kind, "read", "'cuda_python " + std::string(problem) + "'", std::move(reason));
    };
    if (call.empty()) {
        fail(error_kind::invalid,
             "a line is such as: cuda_python axpy.py axpy(float32, float32[:])");
    }
    cuda_python::program const program({.name = file, .text = read_file(file)});
    auto types = call.substr(bracket);
    if (!types.empty()) {
        if (!types.ends_with(')')) fail(error_kind::invalid, "its types do not end with a bracket");
        types = types.substr(1, types.size() - 2);
        if (types.empty()) types = "void()";
    }
    auto const kernel = program.compile(trimmed(call.substr(0, bracket)), types);
    auto spec = kernel.specialize(arch);
    spec.problem = file + " " + spec.problem;
    return {std::move(spec)};
}

std::span<header const> no_headers() { return {}; }

} // namespace

std::span<family const> packed_families() {
    static std::vector<family> const list = [] {
        std::vector<family> all(families().begin(), families().end());
        all.push_back({.name = "cuda_python", .specialize = specs_of_file, .headers = no_headers});
        return all;
    }();
    return list;
}

} // namespace spio::command
