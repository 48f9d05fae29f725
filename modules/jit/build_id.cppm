// What tells two builds of a library apart: the build id in its file.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>

export module spio.jit:build_id;

export namespace spio::jit {

// Of an ELF file, in hexadecimal digits; empty if it has none, or is something else.
std::string build_id_in(std::span<unsigned char const> file);

} // namespace spio::jit
