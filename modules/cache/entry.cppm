// One compiled image with what must be known to launch it, and its form in a file.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

export module spio.cache:entry;

import :sha256;
import :key;

export namespace spio::cache {

// Where a kernel's parameter lies, in bytes.
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

// No entry's file is smaller or larger; a larger one is not written either.
constexpr std::uint64_t least_file_bytes = 102, most_file_bytes = 64 << 20;

// Numbers are little-endian, texts and lists come after their 32-bit length:
//     magic (8 bytes), schema (32 bits), key, bytes of the file (64 bits),
//     symbol, arch, parameters, cubin, SHA-256 of all that
std::vector<unsigned char> file_of(key const& of, entry const& what);

// There is no entry but of exactly the bytes that file_of() makes.
struct reading {
    std::optional<entry> what;
    char const* complaint; // why there is none
};
reading read_file(byte_view bytes, key const& expected);

} // namespace spio::cache
