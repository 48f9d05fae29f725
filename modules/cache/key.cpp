// Keys: every field after its own length, so that none can pass for a part of its neighbour.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

module spio.cache;

namespace spio::cache {

static void add(sha256& sum, std::uint64_t number) {
    std::array<unsigned char, 8> bytes;
    for (std::size_t i = 0; i < 8; i++) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
    sum.update(bytes);
}

static void add(sha256& sum, std::string_view field) {
    add(sum, field.size());
    sum.update(field);
}

std::size_t key_hash::operator()(key const& of) const {
    std::size_t value;
    std::memcpy(&value, of.value.data(), sizeof value);
    return value;
}

digest digest_of(std::span<named_text const> headers) {
    sha256 sum;
    add(sum, headers.size());
    for (auto const& header : headers) {
        add(sum, header.name);
        add(sum, header.text);
    }
    return sum.finish();
}

key key_of(ingredients const& all) {
    sha256 sum;
    add(sum, "spio image");
    add(sum, schema);
    add(sum, all.source);
    add(sum, all.headers.size());
    sum.update(all.headers);
    add(sum, all.options.size());
    for (auto const& option : all.options) add(sum, option);
    add(sum, all.nvrtc_build);
    add(sum, all.arch);
    return {sum.finish()};
}

} // namespace spio::cache
