// Packs (files of compiled kernels) with changed bytes, and the reason for which each is refused.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A pack has a header of 40
// bytes: at 24 the size of the index and at 32 the checksum of both. plain_bytes is the size of an
// image before compression.
module;

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.damaged_packs;

import spio.aot;
import spio.axpby;
import spio.image;
import spio.spec;
import spio.text;

export namespace damaged_packs {

using namespace spio;

using bytes = std::vector<std::byte>;

// Images of two kernels, one of them for two architectures, whose bytes are no machine code.
std::vector<aot::image_to_pack> three() {
    std::vector<aot::image_to_pack> packed;
    for (auto const& [n, arch] : {std::pair(1, sm_80), {1, sm_90a}, {1 << 30, sm_80}}) {
        auto const kernel = axpby::specialize({.n = n}, arch);
        packed.push_back({.kernel = kernel,
                          .kind = image_kind::cubin,
                          .bytes = bytes(static_cast<std::size_t>(30 + n % 64), std::byte(7)),
                          .compiler = "c 1",
                          .text_digest = text_digest_of(kernel),
                          .plain_bytes = 99});
    }
    return packed;
}

aot::pack pack_of(bytes const& source) { return aot::pack(source, "p", /*keeper=*/{}); }

// The reason for which a pack of these bytes is refused, or "none".
std::string refusal(bytes const& source) {
    try {
        pack_of(source).verify();
    } catch (spio::error const& e) {
        return e.subject() == "pack p" ? e.reason() : "refused for " + e.subject();
    }
    return "none";
}

std::string_view text_of(bytes const& source) {
    return {reinterpret_cast<char const*>(source.data()), source.size()};
}

// Overwrites the bytes at an offset with a number.
template <class T> void put(bytes& destination, std::size_t offset, T value) {
    std::memcpy(destination.data() + offset, &value, sizeof value);
}
// Computes the checksum of a changed pack anew, so that only later checks can refuse it.
void sign(bytes& packed) {
    unsigned long long index_bytes = 0;
    std::memcpy(&index_bytes, packed.data() + 24, sizeof index_bytes);
    if (index_bytes > packed.size() - 40) return;
    auto const header = fast_digest_of(text_of(packed).substr(0, 32));
    put(packed, 32, fast_digest_of(text_of(packed).substr(40, index_bytes), header));
}

} // namespace damaged_packs
