// The real NVRTC compiles kernels from the text in memory, for architectures that need no GPU here.
// SPDX-License-Identifier: Apache-2.0
//
// A header is a name and a text in memory. SPIO_NVRTC_LIBRARY is the NVRTC that the build found,
// SPIO_SOURCE_DIR the folder of the repository.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/folder.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

import spio.error;
import spio.jit;

using namespace spio::jit;
namespace fs = std::filesystem;

// The leak checker must not report what NVRTC never frees.
extern "C" char const* __lsan_default_suppressions() { return "leak:libnvrtc\n"; }

using spio::test::contains;

namespace {

// NVRTC, opened once.
nvrtc const& compiler() {
    static nvrtc const compiler(SPIO_NVRTC_LIBRARY);
    return compiler;
}

// The text of a file of the repository.
std::string contents(char const* name) {
    std::ifstream file(fs::path(SPIO_SOURCE_DIR) / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// The text of a kernel, with the headers of its family and those that all kernels share.
source axpby() {
    static auto const texts =
        std::array{contents("kernels/axpby/problem.h"), contents("kernels/axpby/axpby.cuh")};
    static auto const headers = [] {
        std::vector<header> all(kernel_text().begin(), kernel_text().end());
        all.push_back({"axpby/problem.h", texts[0]});
        all.push_back({"axpby/axpby.cuh", texts[1]});
        return all;
    }();
    return {.name = "axpby", .text = contents("tests/axpby/axpby.cu"), .headers = headers};
}

// Whether the machine code has a kernel of this symbol.
bool has(std::span<std::byte const> cubin, std::string_view symbol) {
    std::string const section = ".text." + std::string(symbol) + '\0';
    auto const bytes = std::as_bytes(std::span(section));
    return !std::ranges::search(cubin, bytes).empty();
}

// The end of an error's reason: the options of the compilation.
std::string options_text(std::vector<std::string> const& options) {
    std::string text = "\noptions:";
    for (auto const& option : options) text += " " + option;
    return text;
}

// The error of a source that does not compile.
std::string thrown_by(source const& s, std::string_view arch = "sm_80") {
    try {
        compiler().compile(s, arch);
    } catch (spio::error const& e) {
        CHECK(e.tried() == "nvrtcCompileProgram");
        CHECK(e.subject() == s.name);
        CHECK(e.reason().ends_with(options_text(nvrtc_options(arch))));
        return e.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("axpby is compiled for two architectures") {
    std::cout << "summary: jit.nvrtc: version " << compiler().major() << '.' << compiler().minor()
              << ", build " << compiler().build_id() << '\n';
    CHECK(compiler().major() >= 13);
    CHECK(compiler().build_id().size() >= 16);
    std::vector<std::byte> previous;
    for (auto arch : {"sm_80", "sm_90a"}) {
        auto const start = std::chrono::steady_clock::now();
        compiled const output = compiler().compile(axpby(), arch);
        std::chrono::duration<double, std::milli> const spent =
            std::chrono::steady_clock::now() - start;
        CHECK(output.log == "");
        CHECK(has(output.cubin, "axpby_256x4"));
        CHECK(has(output.cubin, "axpby_96x1"));
        CHECK(!has(output.cubin, "axpby_256"));
        CHECK(output.cubin != previous);
        // A second compilation gives the same bytes.
        CHECK(compiler().compile(axpby(), arch).cubin == output.cubin);
        previous = output.cubin;
        std::cout << "summary: jit.nvrtc.axpby." << arch << ": " << output.cubin.size()
                  << " bytes in " << spent.count() << " ms\n";
    }
}

TEST_CASE("the error of a text that does not compile has the options and the whole log") {
    std::string const said =
        thrown_by({.name = "broken", .text = "int x = y;\n#include \"spio/dims.h\"\nint z = w;\n"});
    CHECK(contains(said, "nvrtcCompileProgram for broken: NVRTC_ERROR_COMPILATION"));
    CHECK(contains(said, "-arch=sm_80 -std=c++20 -default-device --modify-stack-limit=false"));
    CHECK(contains(said, "\"y\" is undefined"));
    CHECK(contains(said, "\"w\" is undefined"));
    CHECK(contains(thrown_by({.name = "x", .text = ""}, "sm_1"), "-arch=sm_1"));
}

TEST_CASE("an architecture that is no chip's has no cubin") {
    try {
        compiler().compile(axpby(), "compute_80");
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.tried() == "nvrtcGetCUBINSize");
        CHECK(e.reason().find("\noptions: -arch=compute_80 ") != std::string::npos);
    }
}

TEST_CASE("nothing is included from the file system") {
    spio::test::folder const folder;
    fs::path const previous = fs::current_path();
    fs::current_path(folder.path);
    std::ofstream("only_here.h") << "#define FOUND\n";
    fs::create_directory("spio");
    std::ofstream("spio/dims.h") << "#pragma once\n#error not this one\n";
    CHECK(contains(thrown_by({.name = "a", .text = "#include \"only_here.h\"\n"}), "only_here.h"));
    CHECK(contains(thrown_by({.name = "a", .text = "#include <only_here.h>\n"}), "only_here.h"));
    CHECK(contains(thrown_by({.name = "a", .text = "#include <stdio.h>\n"}), "stdio.h"));
    CHECK(thrown_by({.name = "a", .text = "#include \"spio/dims.h\"\n"}) == "nothing");
    // Files on disk with the names of all headers, each with an #error, must not be read either.
    for (auto const& header : kernel_text()) {
        fs::path const name = header.name;
        fs::create_directories((folder.path / name).parent_path());
        if (!fs::exists(name)) fs::create_hard_link("spio/dims.h", name);
    }
    // The working folder has them. NVRTC's thread leaves it, where the system lets a thread have a
    // working folder of its own.
    bool may_leave = false;
    std::jthread([&] { may_leave = unshare(CLONE_FS) == 0; }).join();
    if (may_leave) CHECK(thrown_by(axpby()) == "nothing");
    CHECK(fs::current_path() == folder.path);
    fs::current_path(previous);
}

TEST_CASE("12 threads compile, more than run at once, and each gets its own kernel") {
    constexpr int count = 12;
    std::vector<std::vector<std::byte>> cubins(count);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < count; ++t) {
            threads.emplace_back([&, t] {
                auto const name = "kernel_" + std::to_string(t);
                cubins[static_cast<std::size_t>(t)] =
                    compiler()
                        .compile({.name = name,
                                  .text = "extern \"C\" __global__ void " + name + "() {}\n"},
                                 "sm_80")
                        .cubin;
            });
        }
    }
    for (std::size_t t = 0; t < count; ++t) CHECK(has(cubins[t], "kernel_" + std::to_string(t)));
}

TEST_CASE("the compiler's stack has room for a recursion of 190 templates") {
    std::string const text =
        "template <int N> struct f { static constexpr int v = f<N - 1>::v + 1; };"
        "template <> struct f<0> { static constexpr int v = 0; };"
        "extern \"C\" __global__ void deep(int* p) { *p = f<190>::v; }\n";
    CHECK(has(compiler().compile({.name = "deep", .text = text}, "sm_80").cubin, "deep"));
}
