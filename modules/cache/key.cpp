// Makes keys. Each field comes after its own length, so that none can pass for a part of another.
// SPDX-License-Identifier: Apache-2.0
//
// A key is a digest of all that a compiled kernel depends on.
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

// Adds 8 bytes of a number; below, a field after its length.
static void add(sha256& sum, std::uint64_t number) {
    std::array<unsigned char, 8> bytes;
    for (std::size_t i = 0; i < 8; i++) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
    sum.update(bytes);
}

static void add(sha256& sum, std::string_view field) {
    add(sum, field.size());
    sum.update(field);
}

std::size_t key_hash::operator()(key const& key) const {
    std::size_t value;
    std::memcpy(&value, key.value.data(), sizeof value);
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

key key_of(ingredients const& ingredients) {
    sha256 sum;
    add(sum, "spio image");
    add(sum, schema);
    add(sum, ingredients.source);
    add(sum, ingredients.headers.size());
    sum.update(ingredients.headers);
    add(sum, ingredients.options.size());
    for (auto const& option : ingredients.options) add(sum, option);
    add(sum, ingredients.nvrtc_build);
    add(sum, ingredients.arch);
    return {sum.finish()};
}

} // namespace spio::cache
