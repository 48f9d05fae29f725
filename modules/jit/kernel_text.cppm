// The text of all kernels, in memory, as it was when the library was built.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string_view>

export module spio.jit:kernel_text;

export namespace spio::jit {

// A header that is in no file: its name is what stands in an #include.
struct header {
    std::string_view name;
    std::string_view text;
};

// All of kernels/ and what it includes, in the order of their names.
std::span<header const> kernel_text();

// SHA-256 of it in hexadecimal digits: of each header its name, a line's end, the number of bytes
// of its text, a line's end, and the text.
std::string_view kernel_text_digest();

} // namespace spio::jit
