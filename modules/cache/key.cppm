// What an image depends on, as one number: everything else is no part of it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

export module spio.cache:key;

import :sha256;

export namespace spio::cache {

// Counts what an entry of the cache looks like: another number, another cache.
constexpr std::uint32_t schema = 3;

struct key {
    digest value;

    friend auto operator<=>(key const&, key const&) = default;
};

struct key_hash {
    std::size_t operator()(key const& of) const;
};

// The texts a compiler is shown under a name, in their order.
struct named_text {
    std::string_view name, text;
};
digest digest_of(std::span<named_text const> headers);

// No paths and no times: they go stale. No driver: images do not depend on it.
struct ingredients {
    std::string_view source;
    digest headers;
    std::span<std::string const> options; // in order
    std::string_view nvrtc_build;         // no two versions share a build id
    std::string_view arch;                // such as "sm_90a"
};
key key_of(ingredients const& all);

} // namespace spio::cache
