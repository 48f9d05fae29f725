// Entries of a pack (a file of compiled kernels) that no writer makes, and the smallest ones.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel. A pack has a header of 40 bytes: at 16 the size of the file, at 24
// that of the index, which follows. The first entry of the index begins with five texts, each after
// its length in 4 bytes: symbol, architecture, line, configuration and compiler.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

import spio.aot;
import spio.damaged_packs;
import spio.spec;

using namespace spio;
using namespace damaged_packs;

TEST_CASE("an entry without a symbol, an architecture or a line is refused, whatever else it has") {
    auto const packed = aot::write_pack(three());
    for (int const erased : {0, 1, 2, 3, 4}) {
        std::size_t offset = 40;
        unsigned size = 0;
        for (int text = 0; text <= erased; ++text) {
            offset += text == 0 ? 0 : 4 + size;
            std::memcpy(&size, packed.data() + offset, sizeof size);
        }
        auto lying = packed;
        put(lying, offset, 0u);
        auto const first = lying.begin() + static_cast<std::ptrdiff_t>(offset) + 4;
        lying.erase(first, first + size);
        unsigned long long index_bytes = 0;
        std::memcpy(&index_bytes, lying.data() + 24, sizeof index_bytes);
        put(lying, 24, index_bytes - size);
        put(lying, 16, static_cast<unsigned long long>(lying.size()));
        sign(lying);
        // A configuration and a compiler may be empty; but the images have moved.
        CHECK(refusal(lying).ends_with("has no name") == (erased < 3));
        CHECK(refusal(lying) != "none");
    }
}

TEST_CASE("an image may be one byte, and none begins beyond the file") {
    auto images = three();
    for (auto& each : images) each.bytes.resize(1);
    auto packed = aot::write_pack(images);
    CHECK(refusal(packed) == "none");
    // The pack ends after its second image, but has an entry for the third.
    auto const list = pack_of(packed).list();
    packed.resize(list[1].offset + 1);
    put(packed, 16, static_cast<unsigned long long>(packed.size()));
    sign(packed);
    CHECK(refusal(packed).ends_with("is not where it should be"));
}

TEST_CASE("an image for an architecture that nobody knows runs nowhere") {
    auto images = three();
    auto const wanted = images.front().kernel;
    auto const known = aot::write_pack(images); // a pack borrows its bytes
    CHECK(pack_of(known).find(wanted));
    arch unknown = {};
    for (int const number : {1, 8, 12345}) {
        unknown.number = number;
        REQUIRE(!find_arch(text_of(unknown)));
        images.front().kernel.arch = unknown;
        auto const packed = aot::write_pack(images);
        auto const pack = pack_of(packed);
        CHECK(pack.list().size() == images.size());
        CHECK(!pack.find(wanted));
    }
}
