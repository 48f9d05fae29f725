// The real NVRTC compiles the texts of specifications, for architectures that need no GPU here.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. A policy says whether images come from packs (files
// of them), from a compiler at run time, or both. The variable SPIO_NVRTC names the library that is
// opened as NVRTC; SPIO_NVRTC_LIBRARY is the one that the build found. no_source stands for packs,
// or for a compiler, where there are none.
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

#include <pthread.h>
#include <signal.h>

import spio.axpby;
import spio.cache;
import spio.fake_nvrtc;
import spio.image;
import spio.jit;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

// Read by the leak sanitizer: NVRTC never frees some of its own memory.
extern "C" char const* __lsan_default_suppressions() { return "leak:libnvrtc\n"; }

namespace {

jit::nvrtc const& compiler() {
    static jit::nvrtc const library(SPIO_NVRTC_LIBRARY);
    return library;
}

using test::folder;

cache::options options_in(folder const& folder) {
    cache::options options;
    options.folder = folder.path;
    return options;
}

// Whether a cubin has the section of the kernel's code.
bool contains_kernel(std::span<std::byte const> cubin, std::string const& symbol) {
    std::string const section = ".text." + symbol + '\0';
    return !std::ranges::search(cubin, std::as_bytes(std::span(section))).empty();
}

} // namespace

TEST_CASE("a kernel that no pack has is compiled once, for the architecture of its specification") {
    no_source const no_pack;
    folder const cache_folder;
    cache::folders store(options_in(cache_folder));
    jit::just_in_time const source(compiler(), store);
    images const images(no_pack, source, policy::aot_then_jit);
    std::size_t bytes = 0;
    spec const specs[] = {
        axpby::specialize({.n = 1000}, sm_80), axpby::specialize({.n = 10'000'000}, sm_90a),
        layernorm_2d::specialize({64}, sm_80), layernorm_2d::specialize({1280, false}, sm_90a)};
    for (auto const& spec : specs) {
        auto const found = images.find(spec);
        CHECK(found.kind == image_kind::cubin);
        CHECK(found.arch == spec.arch);
        CHECK(found.made_by.starts_with("NVRTC 13."));
        CHECK(found.shape == spec.shape);
        CHECK(contains_kernel(found.bytes, spec.symbol));
        CHECK(images.find(spec).bytes.data() == found.bytes.data());
        bytes += found.bytes.size();
    }
    auto const count = images.count();
    CHECK(count.compiled == 4);
    CHECK(count.memory == 4);
    // Another process would find them on disk, the same to the byte.
    cache::folders later_store(options_in(cache_folder));
    jit::just_in_time const later_source(compiler(), later_store);
    for (auto const& spec : specs) {
        auto const found = later_source.kept(spec);
        REQUIRE(found);
        CHECK(found->made_by == "the cache in " + cache_folder.path);
        CHECK(found->found == origin::disk);
        CHECK(std::ranges::equal(found->bytes, images.find(spec).bytes));
    }
    std::cout << "summary: launch.jit: " << count.compiled << " kernels compiled in "
              << count.compiled_milliseconds << " ms, " << bytes << " bytes\n";
}

TEST_CASE("the error of a text that does not compile has its specification and the whole log") {
    folder const cache_folder;
    cache::folders store(options_in(cache_folder));
    jit::just_in_time const source(compiler(), store);
    spec broken = axpby::specialize({.n = 1000}, sm_80);
    broken.source = "int x = y;\n";
    try {
        source.compile(broken);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.subject() == "axpby n=1000 for sm_80 (" + broken.symbol + ")");
        CHECK(std::string(e.what()).find("\"y\" is undefined") != std::string::npos);
    }
    CHECK(!source.compile(axpby::specialize({.n = 1000}, host_arch)));
    CHECK(!source.compile(axpby::specialize({.n = 1000}, compute_80)));
    CHECK(!source.kept(axpby::specialize({.n = 1000}, host_arch)));
}

TEST_CASE("without NVRTC an image counts as missed, and no compilation as failed") {
    folder const cache_folder;
    cache::folders store(options_in(cache_folder));
    jit::just_in_time const source(store);
    no_source const no_pack;
    images const images(no_pack, source, policy::aot_then_jit);
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1);
    try {
        source.compile(spec);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.kind() == error_kind::no_compiler);
    }
    CHECK_THROWS_AS(images.find(spec), spio::error);
    unsetenv("SPIO_NVRTC");
    CHECK(images.count().missed == 1);
}

TEST_CASE("an image is cached under the NVRTC that compiled it, even if the file was replaced") {
    folder const cache_folder, library_folder;
    auto const file = library_folder / "libnvrtc.so.13";
    std::ofstream(file) << "not yet the library";
    setenv("SPIO_NVRTC", file.c_str(), 1);
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    {
        cache::folders store(options_in(cache_folder));
        jit::just_in_time const source(store);
        CHECK(!source.kept(spec));
        std::filesystem::remove(file);
        std::filesystem::create_symlink(SPIO_NVRTC_LIBRARY, file);
        REQUIRE(source.compile(spec));
    }
    cache::folders later_store(options_in(cache_folder));
    CHECK(jit::just_in_time(later_store).kept(spec));
    unsetenv("SPIO_NVRTC");
}

TEST_CASE("NVRTC runs in a thread that blocks all signals, and has a deep stack") {
    static bool has_all_signals = false; // among those that are blocked
    static std::size_t stack_bytes = 0;
    static auto const compile = fake::nvrtc.compile_program;
    auto curious = fake::nvrtc;
    curious.compile_program = [](jit::nvrtc_entries::program program, int count,
                                 char const* const* options) {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        has_all_signals = true;
        for (int const number : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF}) {
            has_all_signals = has_all_signals && sigismember(&blocked, number) == 1;
        }
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstacksize(&attributes, &stack_bytes);
        pthread_attr_destroy(&attributes);
        return compile(program, count, options);
    };
    jit::nvrtc const compiler(curious, "curious");
    spec const kernel = axpby::specialize({.n = 1000}, sm_80);
    compiler.compile({.name = "kernel", .text = kernel.source, .headers = kernel.headers}, "sm_80");
    CHECK(has_all_signals);
    CHECK(stack_bytes >= std::size_t{60} << 20);
    sigset_t blocked; // the caller's own are as they were
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    CHECK(sigismember(&blocked, SIGTERM) == 0);
}
