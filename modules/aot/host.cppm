// Kernels for the host device: their text, and objects that a program loads while it runs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <span>
#include <string>
#include <vector>

export module spio.aot:host;

import spio.spec;

export namespace spio::aot {

// For spio_add_host_kernels(), or for compile_for_host(): a host device finds them by their
// symbols.
std::string host_text_of(std::span<spec const>);

struct host_compiler {
    std::filesystem::path program;                      // clang++ 19
    std::vector<std::filesystem::path> include_folders; // of the host device, before the kernels'
};
// A shared object of the kernel, in this folder. The program that loads it has a host device, and
// exports its symbols. Throws the compiler's words, uncut.
std::filesystem::path compile_for_host(host_compiler const&, spec const&,
                                       std::filesystem::path const& folder);

} // namespace spio::aot
