// Whatever is not exactly a pack (a file of compiled kernels) is refused before it is used.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A pack has a header of 40
// bytes: a name, at 8 the schema, at 12 the number of images, at 16 the size of the file, at 24
// that of the index and at 32 the checksum of both. The index and the images follow. plain_bytes is
// the size of an image before compression.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.damaged_packs;
import spio.image;
import spio.spec;
import spio.text;

using namespace spio;
using namespace damaged_packs;

TEST_CASE("a pack is written once for each symbol and architecture, and read as it was written") {
    auto images = three();
    images.push_back(images.front());
    auto const packed = aot::write_pack(images);
    auto const accepted = pack_of(packed);
    CHECK(accepted.list().size() == 3);
    for (auto const& each : three()) {
        auto const found = accepted.find(each.kernel);
        REQUIRE(found);
        CHECK(bytes(found->bytes.begin(), found->bytes.end()) == each.bytes);
        CHECK(found->made_by == "pack p");
    }
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(accepted.list()[i].text_digest == images[i].text_digest);
    }
    for (auto const& each : accepted.list()) {
        CHECK(each.compiler == "c 1");
        CHECK(each.plain_bytes == 99);
    }
    CHECK(aot::write_pack(three()) == packed);
    CHECK(pack_of(aot::write_pack({})).list().empty());
    auto no_images = three();
    no_images[1].bytes.clear();
    CHECK_THROWS_AS(aot::write_pack(no_images), spio::error);
}

TEST_CASE("each bit that flips, and each byte that is missing or too many, is found") {
    auto const packed = aot::write_pack(three());
    int flips = 0;
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
        auto damaged = packed;
        damaged[bit / 8] ^= std::byte(1 << bit % 8);
        REQUIRE(refusal(damaged) != "none");
        ++flips;
    }
    for (std::size_t size = 0; size < packed.size(); ++size) {
        REQUIRE(refusal(bytes(packed.begin(),
                              packed.begin() + static_cast<std::ptrdiff_t>(size))) != "none");
    }
    auto longer = packed;
    longer.push_back(std::byte(0));
    CHECK(refusal(longer) == "it should have " + std::to_string(packed.size()) + " bytes, not " +
                                 std::to_string(longer.size()));
    std::cout << "summary: aot.damage: " << flips << " flipped bits and " << packed.size()
              << " truncations, none passes\n";
}

TEST_CASE("an image with a flipped bit is not found, and the others of its pack are") {
    auto const images = three();
    auto packed = aot::write_pack(images);
    auto const list = pack_of(packed).list();
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (auto const place : {std::size_t{0}, images[i].bytes.size() - 1}) {
            auto& byte = packed[list[i].offset + place];
            byte ^= std::byte(4);
            auto const damaged = pack_of(packed);
            for (std::size_t k = 0; k < images.size(); ++k) {
                if (k == i) {
                    CHECK_THROWS_AS(damaged.find(images[k].kernel), spio::error);
                } else {
                    CHECK(damaged.find(images[k].kernel));
                }
            }
            byte ^= std::byte(4);
        }
    }
}

TEST_CASE("a pack with a wrong number and a right checksum is refused too") {
    auto const packed = aot::write_pack(three());
    auto const replacement = [&](std::size_t offset, auto value) {
        auto lying = packed;
        put(lying, offset, value);
        sign(lying);
        return refusal(lying);
    };
    CHECK(replacement(8, 1u) == "it is of schema 1, and only 4 can be read");
    CHECK(replacement(8, 3u) == "it is of schema 3, and only 4 can be read");
    CHECK(replacement(12, 4u) == "its index is too short for its entries");
    CHECK(replacement(12, 0xffffffffu) == "its index is too short for its entries");
    CHECK(replacement(12, 2u) == "its index is longer than its entries");
    CHECK(replacement(24, ~0ull) == "its index is cut off");
    CHECK(replacement(40, 0xffffffffu) == "its index is too short for its entries");
    // The first entry of the index: five texts, each after its length in 4 bytes, and then numbers
    // from `offset` on: the kind, 4 bytes later the block, at 16 the cluster, at 28 the shared
    // bytes, at 32 the bytes of the parameters, at 36 the offset of the image and at 44 its size.
    std::size_t offset = 40;
    for (int text = 0; text < 5; ++text) {
        unsigned size = 0;
        std::memcpy(&size, packed.data() + offset, sizeof size);
        offset += 4 + size;
    }
    for (unsigned const kind : {0u, 1u, 2u, 3u, 4u, 77u}) {
        // 0 is a cubin, 1 PTX, 2 an image for the host, which no pack has, and 3 a fatbin.
        bool const has_kind = kind == 0 || kind == 1 || kind == 3;
        auto const reason = replacement(offset, kind);
        CHECK((has_kind ? reason == "none" : reason.ends_with("is of no kind")));
    }
    CHECK(replacement(offset + 4, 0u).ends_with("has an impossible block"));
    CHECK(replacement(offset + 4, 1025u).ends_with("has an impossible block"));
    CHECK(replacement(offset + 16, -1).ends_with("has an impossible cluster"));
    // Blocks and clusters of each size that a GPU has, and of none that it has not.
    for (std::size_t const shape : {offset + 4, offset + 16}) {
        for (int const x : {0, 1, 16, 1024, 1025}) {
            for (int const y : {0, 1, 2, 64, 1024, 1025}) {
                for (int const z : {0, 1, 32, 64, 65}) {
                    auto lying = packed;
                    put(lying, shape, x), put(lying, shape + 4, y), put(lying, shape + 8, z);
                    sign(lying);
                    bool const is_possible = x >= 1 && y >= 1 && z >= 1 && x <= 1024 && y <= 1024 &&
                                             z <= 64 && x * y * z <= 1024;
                    CHECK((refusal(lying) == "none") == is_possible);
                }
            }
        }
    }
    // The product of these sizes is 2^64.
    auto vast = packed;
    put(vast, offset + 4, 1 << 30), put(vast, offset + 8, 1 << 30), put(vast, offset + 12, 16);
    sign(vast);
    CHECK(refusal(vast).ends_with("has an impossible block"));
    CHECK(replacement(offset + 28, -1).ends_with("has less than no shared memory"));
    CHECK(replacement(offset + 36, 0ull).ends_with("is not where it should be"));
    CHECK(replacement(offset + 36, ~63ull).ends_with("is not where it should be"));
    CHECK(replacement(offset + 44, ~0ull).ends_with("is not where it should be"));
    CHECK(replacement(offset + 44, packed.size()).ends_with("is not where it should be"));
    CHECK(replacement(offset + 44, 0ull).ends_with("has no image"));

    // A pack that has two images for one kernel and one architecture.
    auto two = three();
    two.resize(2);
    two[1].kernel.arch = sm_86;
    auto lying = aot::write_pack(two);
    auto const other = text_of(lying).find("sm_86");
    REQUIRE(other != std::string_view::npos);
    put(lying, other + 4, '0');
    sign(lying);
    CHECK(refusal(lying).ends_with("is there twice"));

    // The rows at the end of the index, of 16 bytes each: a digest, and the offset of an entry.
    unsigned long long index_bytes = 0;
    std::memcpy(&index_bytes, packed.data() + 24, sizeof index_bytes);
    for (std::size_t row = 0; row < 3; ++row) {
        auto const place = 40 + index_bytes - 16 * (row + 1);
        for (auto const value : {0ull, 40ull, 41ull, index_bytes, ~0ull}) {
            unsigned long long right = 0;
            for (auto const member : {place, place + 8}) {
                std::memcpy(&right, packed.data() + member, sizeof right);
                if (value == right) continue;
                CHECK(replacement(member, value) == "its index does not say where its entries are");
            }
        }
    }

    std::mt19937 random(11);
    int refused = 0, accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        lying = packed;
        for (unsigned i = 1 + random() % 4; i > 0; --i) {
            lying[random() % lying.size()] = static_cast<std::byte>(random());
        }
        sign(lying);
        refusal(lying) == "none" ? ++accepted : ++refused;
    }
    std::cout << "summary: aot.signed_lies: " << refused << " of 20000 refused, " << accepted
              << " read as another pack\n";
    CHECK(refused > 0);
}

TEST_CASE("of a linked pack the header is checked, and what find() returns") {
    auto const images = three();
    auto const packed = aot::write_pack(images);
    auto const linked = aot::pack::linked(packed, "p");
    CHECK(linked.list().size() == 3);
    linked.verify();
    for (auto const& each : images) {
        auto const found = linked.find(each.kernel);
        REQUIRE(found);
        CHECK(bytes(found->bytes.begin(), found->bytes.end()) == each.bytes);
        CHECK(found->arch == each.kernel.arch);
    }
    auto absent = images[0].kernel;
    absent.symbol += "_absent";
    CHECK(!linked.find(absent));
    // Whatever is damaged, an image is the one that was packed, and nothing beyond is read.
    int missed = 0, refused = 0;
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
        auto damaged = std::make_unique<bytes>(packed);
        (*damaged)[bit / 8] ^= std::byte(1 << bit % 8);
        for (auto const& each : images) {
            try {
                auto const found = aot::pack::linked(*damaged, "p").find(each.kernel);
                if (!found) {
                    ++missed;
                    continue;
                }
                REQUIRE(bytes(found->bytes.begin(), found->bytes.end()) == each.bytes);
            } catch (error const&) {
                ++refused;
            }
        }
    }
    CHECK(missed > 0);
    CHECK(refused > 0);
    auto older = packed;
    put(older, 8, 3u);
    CHECK_THROWS_WITH_AS(aot::pack::linked(older, "p"),
                         "read for pack p: it is of schema 3, and only 4 can be read", error);
    for (std::size_t size = 0; size < packed.size(); ++size) {
        bytes const shorter(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
        REQUIRE_THROWS_AS(aot::pack::linked(shorter, "p"), error);
    }
}

TEST_CASE("a kernel of the same symbol with another configuration is an error") {
    auto images = three();
    images[0].kernel.config = "threads=96 vectors=1";
    auto const packed = aot::write_pack(images);
    CHECK_THROWS_WITH_AS(pack_of(packed).find(three()[0].kernel),
                         ("read for pack p: the kernel " + three()[0].kernel.spelled() +
                          " is another one in it: axpby n=1 by threads=96 vectors=1")
                             .c_str(),
                         spio::error);
}
