// Where CUDA is looked for, which options compilers are given, and text that terminals may show.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

// Whether a list has this word.
bool has(std::vector<std::string> const& words, char const* word) {
    return std::ranges::find(words, word) != words.end();
}

} // namespace

TEST_CASE("folders of CUDA are absolute, in the order of who names them") {
    test::folder const folder;
    auto const wheel = fs::path(folder / "venv/lib/python3.12/site-packages/nvidia/cu13");
    fs::create_directories(wheel / "lib");
    std::string const home = std::getenv("CUDA_HOME") != nullptr ? std::getenv("CUDA_HOME") : "";
    setenv("CUDA_HOME", (folder / "toolkit").c_str(), 1);
    setenv("VIRTUAL_ENV", (folder / "venv").c_str(), 1);
    auto const folders = cuda_folders();
    CHECK(folders.front() == folder / "toolkit");
    CHECK(std::ranges::find(folders, wheel) != folders.end());
    auto const libraries = nvrtc_folders();
    CHECK(std::ranges::find(libraries, wheel / "lib") != libraries.end());
    setenv("CUDA_HOME", "toolkit", 1);
    for (auto const& path : cuda_folders()) CHECK(path.is_absolute());
    home.empty() ? unsetenv("CUDA_HOME") : setenv("CUDA_HOME", home.c_str(), 1);
    unsetenv("VIRTUAL_ENV");
}

TEST_CASE("all compilers are given the same language, and the architecture that is asked for") {
    for (auto const kind : {compiler_kind::nvcc, compiler_kind::clang, compiler_kind::nvrtc}) {
        CHECK(has(compiler_options(kind, "sm_90a"), "-std=c++20"));
    }
    CHECK(has(compiler_options(compiler_kind::nvcc, "compute_80"), "-arch=compute_80"));
    CHECK(has(compiler_options(compiler_kind::clang, "compute_80"), "--cuda-gpu-arch=sm_80"));
    CHECK(has(compiler_options(compiler_kind::nvrtc, "sm_90a"), "-arch=sm_90a"));
}

TEST_CASE("control characters do not reach a terminal") {
    CHECK(printable("plain text\tand\nlines, µ") == "plain text\tand\nlines, µ");
    CHECK(printable("\x1b[2J") == "\\x1b[2J");
    CHECK(printable("a\rb\x7f") == "a\\x0db\\x7f");
    CHECK(printable("\xc2\x9b"
                    "31m") == "\\xc2\\x9b31m");
    CHECK(printable("\x9b"
                    "31m") == "\\x9b31m");
    CHECK(printable("\xff\xfe") == "\\xff\\xfe");
    CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
}
