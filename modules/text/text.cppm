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

// SHA-256 of it in hexadecimal digits: of each header's name, a line feed, the number of bytes of
// its text, a line feed, and the text.
std::string_view kernel_text_digest();

// The headers of its family and of Spio that a specialization includes, directly or not, in the
// order in which a compiler meets them. Other headers are left out.
std::vector<header> headers_of(spec const&);

// A digest of its text and of those headers: an image of another text is another kernel's.
std::uint64_t text_digest_of(spec const&);

} // namespace spio
