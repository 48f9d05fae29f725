// The text of all kernels, in memory, as it was when the library was built.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

export module spio.text;

import spio.spec;

export namespace spio {

// All of kernels/ and what it includes, in the order of their names.
std::span<header const> kernel_text();

// SHA-256 of it in hexadecimal digits: of each header its name, a line's end, the number of bytes
// of its text, a line's end, and the text.
std::string_view kernel_text_digest();

// What a specialization is compiled with: those of its family's own headers and of Spio's that its
// text includes, and that those include, in the order in which a compiler meets them. What is in
// neither is not there.
std::vector<header> headers_of(spec const&);

// Of its text and of those headers: an image made of another text is not of this specialization.
std::uint64_t text_digest_of(spec const&);

} // namespace spio
