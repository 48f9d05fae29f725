// An entry: one compiled image with what its launch must know, its key, and its form in a file.
// SPDX-License-Identifier: Apache-2.0
module;

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.cache:entry;

import spio.system;

export namespace spio::cache {

using spio::byte_view;
using spio::hexadecimal;
using spio::sha256;
using spio::sha256_of;
using digest = spio::sha256_digest;

// The number of the entries' format. Entries of another format have other keys.
constexpr std::uint32_t schema = 3;

// Everything that an image depends on, as one number.
struct key {
    digest value;

    friend auto operator<=>(key const&, key const&) = default;
};

struct key_hash {
    std::size_t operator()(key const&) const;
};

// A text that a compiler is given under a name.
struct named_text {
    std::string_view name, text;
};
digest digest_of(std::span<named_text const> headers);

// What a key is made of. Paths and times are left out because they go stale, and the driver because
// images do not depend on it.
struct ingredients {
    std::string_view source;
    digest headers;
    std::span<std::string const> options; // in order
    std::string_view nvrtc_build;         // no two versions share a build id
    std::string_view arch;                // such as "sm_90a"
};
key key_of(ingredients const&);

// A parameter of a kernel, in bytes.
struct parameter {
    std::uint32_t offset, size;

    friend bool operator==(parameter const&, parameter const&) = default;
};

struct entry {
    std::string symbol;
    std::string arch;
    std::vector<parameter> parameters;
    std::vector<unsigned char> cubin;

    friend bool operator==(entry const&, entry const&) = default;
};

// The least bytes of an entry's file, 100 around a symbol and a cubin of one byte each, and the
// most. A larger entry is not written.
constexpr std::uint64_t least_file_bytes = 102, most_file_bytes = 64 << 20;

// The bytes of an entry's file. Numbers are little-endian, texts and lists come after their 32-bit
// length:
//     magic (8 bytes), schema (32 bits), key, bytes of the file (64 bits),
//     symbol, arch, parameters, cubin, SHA-256 of all that
std::vector<unsigned char> file_of(key const&, entry const&);

// The result of parsing a file, which succeeds only for bytes that file_of() can have made.
struct parsed_entry {
    std::optional<entry> value;
    char const* complaint; // the reason why there is no entry
};
parsed_entry parse_file(byte_view bytes, key const& expected);

} // namespace spio::cache
