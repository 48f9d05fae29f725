// Where CUDA is looked for, which options compilers are given, and text that terminals may show.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA is a toolkit, or a wheel of Python's packages: nvidia/cu13 below a virtual environment.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

// Whether a list has this word.
bool has(std::vector<std::string> const& words, char const* word) {
    return std::ranges::find(words, word) != words.end();
}

// Variables that are set while it lives, and have their old values again after it.
class variables {
  public:
    explicit variables(std::vector<std::pair<std::string, std::string>> const& values) {
        for (auto const* name :
             {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "PATH"}) {
            char const* const value = std::getenv(name);
            if (value != nullptr) previous_.emplace_back(name, value);
            unsetenv(name);
            names_.emplace_back(name);
        }
        for (auto const& [name, value] : values) setenv(name.c_str(), value.c_str(), 1);
    }
    variables(variables const&) = delete;
    ~variables() {
        for (auto const& name : names_) unsetenv(name.c_str());
        for (auto const& [name, value] : previous_) setenv(name.c_str(), value.c_str(), 1);
    }

  private:
    std::vector<std::string> names_;
    std::vector<std::pair<std::string, std::string>> previous_;
};

// Those of a list of folders that lie below one.
std::vector<std::string> below(std::string const& folder, std::vector<fs::path> const& paths) {
    std::vector<std::string> names;
    for (auto const& path : paths) {
        if (path.string().starts_with(folder)) names.push_back(path.string().substr(folder.size()));
    }
    return names;
}

} // namespace

TEST_CASE("folders of CUDA are absolute, first that of CUDA_HOME, then those of wheels") {
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

TEST_CASE("all folders of CUDA and of NVRTC that the environment names, in their order") {
    test::folder const folder;
    for (auto const* name :
         {"/home/lib64", "/home/lib", "/home/targets/x86_64-linux/lib", "/path/lib",
          "/path/targets/sbsa-linux/lib", "/nvcc/bin", "/nvcc/lib64",
          "/venv/lib/python3.12/site-packages/nvidia/cu13/lib",
          "/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
          "/venv/lib/python3.12/site-packages/nvidia/cudnn/lib",
          "/venv/lib/python2.7/site-packages/nvidia/cu12/lib",
          "/conda/lib/python3.9/site-packages/nvidia/cu12/lib", "/one", "/two", "/bin"}) {
        fs::create_directories(folder.path + name);
    }
    std::ofstream(folder / "nvcc/bin/nvcc") << "#!/bin/sh\n";
    fs::permissions(folder / "nvcc/bin/nvcc", fs::perms::owner_all);
    fs::create_symlink(folder / "nvcc/bin/nvcc", folder / "bin/nvcc");
    auto const value = [&](char const* name) { return folder.path + name; };
    variables const set(
        {{"CUDA_HOME", value("/home")},
         {"CUDA_PATH", value("/path")},
         {"VIRTUAL_ENV", value("/venv")},
         {"CONDA_PREFIX", value("/conda")},
         {"LD_LIBRARY_PATH", value("/one") + "::one:" + value("/missing") + ":" + value("/two")},
         {"PATH", "relative:" + value("/bin")}});
    using names = std::vector<std::string>;
    std::string const python = "/venv/lib/python3.12/site-packages/nvidia/";
    CHECK(below(folder.path, cuda_folders()) ==
          names{"/home", "/path", "/nvcc", python + "cu13",
                "/conda/lib/python3.9/site-packages/nvidia/cu12"});
    CHECK(below(folder.path, nvrtc_folders()) ==
          names{"/home/lib64", "/home/lib", "/home/targets/x86_64-linux/lib", "/path/lib",
                "/path/targets/sbsa-linux/lib", "/nvcc/lib64", python + "cu13/lib",
                "/conda/lib/python3.9/site-packages/nvidia/cu12/lib", python + "cuda_nvrtc/lib",
                "/venv/lib", "/conda/lib", "/one", "/two"});
    CHECK(toolchain_variables().size() >= 5);
    // Of many wheels, those of the first names come first.
    names wheels;
    for (int number = 19; number >= 10; --number) {
        fs::create_directories(folder / "venv/lib/python3.12/site-packages/nvidia/cu" +
                               std::to_string(number));
        wheels.insert(wheels.begin(), python + "cu" + std::to_string(number));
    }
    CHECK(below(folder.path + "/venv", cuda_folders()).size() == 10);
    auto const folders = below(folder.path, cuda_folders());
    CHECK(names(folders.begin() + 3, folders.begin() + 13) == wheels);
    CHECK(found_in_path("nvcc") == folder / "bin/nvcc");
    CHECK(found_in_path("no such program").empty());
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

// By the definition: the shortest form of a number up to 10ffff that is no half of a surrogate
// pair. Every 61st number beyond 16 bits is tried.
TEST_CASE("characters of UTF-8 are the encodings of all numbers, and nothing else is one") {
    auto const encoding = [](unsigned number) {
        std::string text;
        int const more = number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
        constexpr unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
        text += static_cast<char>(marks[more] | number >> 6 * more);
        for (int i = more; i-- > 0;) text += static_cast<char>(0x80 | (number >> 6 * i & 63));
        return text;
    };
    auto const is_character = [](unsigned number) {
        return number < 0x110000 && (number < 0xd800 || number >= 0xe000);
    };
    unsigned wrong = 0;
    for (unsigned number = 0; number < 0x110000; number += number < 0x10100 ? 1 : 61) {
        auto const text = encoding(number);
        wrong += character_bytes(text) != (is_character(number) ? text.size() : 0);
        if (text.size() > 1) wrong += character_bytes(text.substr(0, text.size() - 1)) != 0;
    }
    // All first two bytes before two that continue a character.
    for (unsigned bytes = 0; bytes < 0x10000; ++bytes) {
        unsigned const first = bytes >> 8, second = bytes & 0xff;
        std::string const text = {static_cast<char>(first), static_cast<char>(second), '\x80',
                                  '\x80'};
        std::size_t const size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        unsigned number = first & (size == 1 ? 0x7f : 0xffU >> (size + 1));
        for (std::size_t i = 1; i < size; ++i) number = number << 6 | (text[i] & 63U);
        bool const is_good = is_character(number) && encoding(number) == text.substr(0, size);
        wrong += character_bytes(text) != (is_good ? size : 0);
    }
    CHECK(wrong == 0);
    CHECK(character_bytes("") == 0);
}
