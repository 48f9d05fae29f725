// The text of all kernels, in memory, as it was when the library was built.
// SPDX-License-Identifier: Apache-2.0
//
// A header is a name and a text. A specialization (spec) is what a kernel is compiled from: a short
// text, which includes headers. A family is the kernels of one operation.
module;

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

export module spio.text;

import spio.spec;

export namespace spio {

// All files of kernels/ and the headers that they include, ordered by name.
std::span<header const> kernel_text();

// SHA-256 of kernel_text() in hexadecimal digits. For each header it covers its name, a line feed,
// the number of bytes of its text, a line feed, and the text.
std::string_view kernel_text_digest();

// The headers of Spio and of the family that a specialization includes, directly or not, in the
// order in which a compiler meets them. Other headers are left out.
std::vector<header> headers_of(spec const&);

// A digest of a text, or of any bytes, for long ones: it detects damage, as fnv() does, and takes
// a small part of its time. No single byte can change without another digest.
std::uint64_t fast_digest_of(std::string_view, std::uint64_t start = 0);

// A digest of the text of a specialization and of headers_of() it. An image that was compiled from
// text with another digest is not used.
std::uint64_t text_digest_of(spec const&);

// A digest of the text of a specialization, of all headers of its family, and of kernel_text():
// specializations that agree in it agree in text_digest_of(), and it changes more often. It takes
// no time, because it is made of the digests that the build has made. 0 if a header has none.
std::uint64_t library_digest_of(spec const&);

} // namespace spio
