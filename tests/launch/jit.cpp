// The real NVRTC compiles what the specifications spell, for architectures that are not here.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

import spio.axpby;
import spio.cache;
import spio.image;
import spio.jit;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

// NVRTC keeps what it has for the rest of its days.
extern "C" char const* __lsan_default_suppressions() { return "leak:libnvrtc\n"; }

namespace {

jit::nvrtc const& compiler() {
    static jit::nvrtc const one(SPIO_NVRTC_LIBRARY);
    return one;
}

using test::folder;

cache::options options_in(folder const& own) {
    cache::options how;
    how.folder = own.path;
    return how;
}

bool has(std::span<std::byte const> cubin, std::string const& symbol) {
    std::string const section = ".text." + symbol + '\0';
    return !std::ranges::search(cubin, std::as_bytes(std::span(section))).empty();
}

} // namespace

TEST_CASE("what no pack has is compiled once, for the device's own architecture") {
    no_source const nothing;
    folder const own;
    cache::store store(options_in(own));
    jit::just_in_time const source(compiler(), store);
    images const all(nothing, source, policy::aot_then_jit);
    std::size_t bytes = 0;
    spec const specs[] = {
        axpby::specialize({.n = 1000}, sm_80), axpby::specialize({.n = 10'000'000}, sm_90a),
        layernorm_2d::specialize({64}, sm_80), layernorm_2d::specialize({1280, false}, sm_90a)};
    for (auto const& of : specs) {
        auto const found = all.find(of);
        CHECK(found.kind == image_kind::cubin);
        CHECK(found.arch == of.arch);
        CHECK(found.made_by.starts_with("NVRTC 13."));
        CHECK(found.shape == of.shape);
        CHECK(has(found.bytes, of.symbol));
        CHECK(all.find(of).bytes.data() == found.bytes.data());
        bytes += found.bytes.size();
    }
    auto const count = all.count();
    CHECK(count.compiled == 4);
    CHECK(count.memory == 4);
    // Another process would find them on disk, the same to the byte.
    cache::store later(options_in(own));
    jit::just_in_time const source_later(compiler(), later);
    for (auto const& of : specs) {
        auto const found = source_later.find(of);
        REQUIRE(found);
        CHECK(found->made_by == "the cache in " + own.path);
        CHECK(found->found == origin::disk);
        CHECK(std::ranges::equal(found->bytes, all.find(of).bytes));
    }
    CHECK(source_later.count().disk == 4);
    CHECK(source_later.count().compiled == 0);
    std::cout << "figure: launch.jit: " << count.compiled << " kernels compiled in "
              << count.compiled_milliseconds << " ms, " << bytes << " bytes\n";
}

TEST_CASE("a text that does not compile is told with its specification and the whole log") {
    folder const own;
    cache::store store(options_in(own));
    jit::just_in_time const source(compiler(), store);
    spec broken = axpby::specialize({.n = 1000}, sm_80);
    broken.source = "int x = y;\n";
    try {
        source.find(broken);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.subject() == "axpby n=1000 for sm_80 (" + broken.symbol + ")");
        CHECK(std::string(e.what()).find("\"y\" is undefined") != std::string::npos);
    }
    CHECK(!source.find(axpby::specialize({.n = 1000}, host_arch)));
    CHECK(!source.find(axpby::specialize({.n = 1000}, compute_80)));
}

TEST_CASE("without NVRTC an image is missed, not failed") {
    folder const own;
    cache::store store(options_in(own));
    jit::just_in_time const source(store);
    no_source const nothing;
    images const all(nothing, source, policy::aot_then_jit);
    auto const of = axpby::specialize({.n = 1000}, sm_80);
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1);
    try {
        source.find(of);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.kind() == error_kind::no_compiler);
    }
    CHECK_THROWS_AS(all.find(of), spio::error);
    unsetenv("SPIO_NVRTC");
    CHECK(all.count().missed == 1);
}

TEST_CASE("what is compiled is kept for the NVRTC that made it, if the file is another by then") {
    folder const own, place;
    auto const file = place / "libnvrtc.so.13";
    std::ofstream(file) << "not yet the library";
    setenv("SPIO_NVRTC", file.c_str(), 1);
    auto const of = axpby::specialize({.n = 1000}, sm_80);
    {
        cache::store store(options_in(own));
        jit::just_in_time const source(store);
        CHECK(!source.is_kept(of));
        std::filesystem::remove(file);
        std::filesystem::create_symlink(SPIO_NVRTC_LIBRARY, file);
        REQUIRE(source.find(of));
    }
    cache::store later(options_in(own));
    CHECK(jit::just_in_time(later).is_kept(of));
    unsetenv("SPIO_NVRTC");
}
