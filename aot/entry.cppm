// What writing a pack and reading it must agree on.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

module spio.aot:entry;

import :pack;

namespace spio::aot {

constexpr std::string_view magic = "SPIOPACK";
constexpr std::size_t header_bytes = 40;
constexpr std::size_t checksum_at = 32;
constexpr std::size_t alignment = 64;

constexpr std::size_t aligned(std::size_t at) {
    return (at + alignment - 1) / alignment * alignment;
}

inline std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// Of an entry or a constant one, in their order.
auto texts_of(auto& entry) {
    return std::array{&entry.symbol, &entry.arch, &entry.line, &entry.config, &entry.compiler};
}
auto numbers_of(auto& entry) {
    return std::array{&entry.offset, &entry.size, &entry.checksum, &entry.text_digest,
                      &entry.plain_bytes};
}

// Why no writer of ours can have written it, as a sentence about it goes on: "has no name". Empty
// if one can.
std::string complaint_of(packed const&);

} // namespace spio::aot
