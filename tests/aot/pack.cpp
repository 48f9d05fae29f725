// Kernels that nvcc compiled from a manifest (a list of them) are loaded from their pack, a file.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. The manifest has five kernels,
// of which two are the same. aot_only is the policy that asks packs alone. A family is the kernels
// of one operation. plain_bytes is the size of an image before compression. no_source stands for
// packs, or for a compiler, where there are none.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

import spio.aot;
import spio.axpby;
import spio.families;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;
import spio.system;

using namespace spio;

// The pack as the build embeds it into this program, and its SHA-256.
extern "C" std::byte const test_pack[], test_pack_end[];
extern "C" unsigned char const test_pack_digest[32];

namespace {

// The pack that the build makes by nvcc, and the same by clang.
aot::pack const& shipped() {
    static aot::pack const pack = aot::pack::read(SPIO_TEST_PACK);
    return pack;
}
aot::pack const& shipped_by_clang() {
    static aot::pack const pack = aot::pack::read(SPIO_TEST_CLANG_PACK);
    return pack;
}

// The kernels of the manifest from which the pack was built.
std::vector<spec> specs(arch arch) {
    std::ifstream file(SPIO_TEST_MANIFEST);
    std::string const text(std::istreambuf_iterator<char>(file), {});
    return aot::specs_of(text, "kernels.manifest", families(), arch);
}

// Whether the bytes begin as a fatbin does.
bool is_fatbin(std::span<std::byte const> bytes) {
    unsigned first = 0;
    if (bytes.size() >= sizeof first) std::memcpy(&first, bytes.data(), sizeof first);
    return first == 0xba55ed50;
}

// Finds the image (compiled kernel) for each of five kernels on five chips, and checks which it is.
void serve(aot::pack const& pack, images const& sources) {
    pack.verify();
    CHECK(pack.list().size() == 12); // four kernels, three architectures
    for (auto const& [chip, compiled] : {std::pair(sm_80, sm_80),
                                         {sm_86, sm_80},
                                         {sm_89, sm_80},
                                         {sm_90a, sm_90a},
                                         {arch{120, 'a'}, compute_80}}) {
        auto const of_chip = specs(chip);
        CHECK(of_chip.size() == 5);
        for (auto const& kernel : of_chip) {
            auto const found = sources.find(kernel);
            CHECK(found.arch == compiled);
            CHECK(found.symbol == kernel.symbol);
            CHECK(found.shape == kernel.shape);
            CHECK(found.params_bytes == kernel.params_bytes);
            CHECK(found.kind == image_kind::fatbin);
            CHECK(is_fatbin(found.bytes));
            CHECK(reinterpret_cast<std::size_t>(found.bytes.data()) % 16 == 0);
        }
    }
    CHECK(sources.count().packed == 25); // five kernels on five chips
    CHECK(aot::stale_images(pack, families()).empty());
}

} // namespace

TEST_CASE("every line of the manifest is served under aot_only, for each chip by what suits it") {
    no_source const no_images;
    for (auto const* pack : {&shipped(), &shipped_by_clang()}) {
        images const sources(*pack, no_images, policy::aot_only);
        serve(*pack, sources);
        std::size_t bytes = 0, plain_bytes = 0;
        for (auto const& each : pack->list()) {
            bytes += each.size;
            plain_bytes += each.plain_bytes;
        }
        std::cout << "summary: aot.pack: " << pack->list().size() << " images by "
                  << pack->list()[0].compiler << ", " << bytes << " bytes of " << plain_bytes
                  << ", found in " << sources.count().packed_milliseconds / 25 << " ms each\n";
    }
}

TEST_CASE("the embedded pack is the one in the file, and its images lie where they may be used") {
    aot::pack const embedded({test_pack, test_pack_end}, "test_pack", /*keeper=*/nullptr);
    embedded.verify();
    CHECK(embedded.list().size() == shipped().list().size());
    CHECK(reinterpret_cast<std::size_t>(test_pack) % 64 == 0);
    for (auto const& kernel : specs(sm_90a)) {
        auto const found = embedded.find(kernel);
        REQUIRE(found);
        CHECK(found->made_by == "pack test_pack");
        CHECK(std::ranges::equal(found->bytes, shipped().find(kernel)->bytes));
        CHECK(reinterpret_cast<std::size_t>(found->bytes.data()) % 64 == 0);
    }
}

TEST_CASE("the error for a kernel that the pack lacks has the manifest line that adds it") {
    no_source const no_images;
    images const sources(shipped(), no_images, policy::aot_only);
    auto const kernel = layernorm_2d::specialize({72}, sm_90a);
    CHECK_THROWS_WITH_AS(
        sources.find(kernel),
        ("find for kernel layernorm_2d channels=72 affine=true for sm_90a (" + kernel.symbol +
         "): no pack has it, and nothing else is asked under aot_only; the manifest line that adds "
         "it to a pack of sm_90a is: layernorm_2d channels=72 affine=true")
            .c_str(),
        spio::error);
    CHECK(!shipped().find(axpby::specialize({.n = 1}, host_arch)));
}

TEST_CASE("the error of a missing pack, or of one that is no regular file, names it") {
    CHECK_THROWS_WITH_AS(aot::pack::read("/nowhere/a.spiopack"),
                         doctest::Contains("/nowhere: No such file or directory"), spio::error);
    CHECK_THROWS_AS(aot::pack::read("/tmp"), spio::error);
    CHECK_THROWS_WITH_AS(aot::pack::read("/dev/null"),
                         "read for pack /dev/null: /dev/null is no regular file", spio::error);
    test::folder const folder;
    auto const pipe = folder / "a.spiopack";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(aot::pack::read(pipe),
                         ("read for pack " + pipe + ": " + pipe + " is no regular file").c_str(),
                         spio::error);
}

TEST_CASE("the digest in the program is that of the pack beside it, and of the pack in it") {
    auto const pack = aot::pack::read(SPIO_TEST_PACK, test_pack_digest);
    CHECK(pack.list().size() == 12);
    auto const* const first = reinterpret_cast<unsigned char const*>(test_pack);
    auto const* const last = reinterpret_cast<unsigned char const*>(test_pack_end);
    CHECK(std::ranges::equal(sha256_of({first, last}), std::span(test_pack_digest)));
    CHECK_THROWS_AS(aot::pack::read(SPIO_TEST_CLANG_PACK, test_pack_digest), spio::error);
}
