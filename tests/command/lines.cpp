// Command lines of `spio` at random, sensible and not: each ends with the exit status it should.
// SPDX-License-Identifier: Apache-2.0
//
// `spio` is the project's command: it compiles, runs, measures and lists kernels. The fake driver
// stands for CUDA's: it keeps memory and kernels in plain objects, and can fail any call.
// fake::the_machine() has the state of the fake driver. A pack is a file of compiled kernels; the
// policy aot_only takes kernels from packs alone.
#include <doctest/doctest.h>

#include "tests/command/line_writer.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

import spio.aot;
import spio.axpby;
import spio.command;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.spec;
import spio.text;

using namespace spio;
using command::exit_status;

namespace {

// Files that lines name: a pack, damaged ones, a manifest, and what is no file.
struct files {
    test::folder folder;
    std::vector<std::string> names;

    files() {
        auto const kernel = axpby::specialize({.n = 1000}, sm_90a);
        std::string const cubin = "\177ELF" + kernel.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(cubin));
        aot::image_to_pack const image = {.kernel = kernel,
                                          .kind = image_kind::cubin,
                                          .bytes = {bytes.begin(), bytes.end()},
                                          .compiler = "a test",
                                          .text_digest = text_digest_of(kernel)};
        auto const packed = aot::write_pack(std::span(&image, 1));
        std::string const pack(reinterpret_cast<char const*>(packed.data()), packed.size());
        auto damaged = pack;
        damaged[pack.size() / 2] ^= 1;
        for (auto const& [name, text] :
             std::map<std::string, std::string>{{"whole.spiopack", pack},
                                                {"damaged.spiopack", damaged},
                                                {"short.spiopack", pack.substr(0, pack.size() / 2)},
                                                {"kernels.manifest", "axpby n=1000\nconv2d n=1\n"},
                                                {"empty", ""}}) {
            std::ofstream(folder / name, std::ios::binary) << text;
            names.push_back(folder / name);
        }
        mkfifo((folder / "pipe").c_str(), 0600);
        for (auto const* name : {"pipe", "missing", "", "missing/below"}) {
            names.push_back(folder / name);
        }
    }
};

} // namespace

// The environment variable SPIO_TEST_LINES may set how many lines, and SPIO_TEST_SEED another seed.
TEST_CASE(
    "whatever a line asks for, the command ends with a documented status and gives all back") {
    char const* const asked = std::getenv("SPIO_TEST_LINES");
    int const count = asked == nullptr ? 400 : std::atoi(asked);
    fake::the_machine().expect({});
    files const files;
    test::folder const cache;
    setenv("SPIO_CACHE_DIR", cache.path.c_str(), 1);
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1); // lines are to be many, and compile nothing
    char const* const seed = std::getenv("SPIO_TEST_SEED");
    line_writer writer{std::mt19937(seed == nullptr ? 30U : static_cast<unsigned>(std::atoi(seed))),
                       files.names};
    std::map<exit_status, int> endings;
    for (int i = 0; i < count; ++i) {
        auto const line = writer.line();
        std::vector<std::string_view> const words(line.begin(), line.end());
        std::string printed, told, text;
        for (auto const& word : line) text += word + " ";
        CAPTURE(text);
        auto const status = command::run(
            words, {.print = [&](std::string_view part) { printed += part; },
                    .tell = [&](std::string_view part) { told += part; },
                    .is_interactive = false,
                    .open_driver = [] { return std::make_unique<cuda::driver>(fake::find); },
                    .program = {},
                    .memory_bytes = 16 << 20}); // lines are to be many, and compute little
        ++endings[status];
        CAPTURE(told);
        bool const is_good = status == exit_status::success || status == exit_status::check_failed;
        REQUIRE((is_good || told.starts_with("spio: ")));
        REQUIRE((status != exit_status::success || !printed.empty()));
        REQUIRE((printed + told).find('\x1b') == std::string::npos);
        REQUIRE(fake::the_machine().objects.empty());
        fake::the_machine().calls.clear();
    }
    unsetenv("SPIO_CACHE_DIR");
    unsetenv("SPIO_NVRTC");
    CHECK(endings[exit_status::success] > count / 20);
    CHECK(endings[exit_status::usage] > count / 20);
    CHECK(endings[exit_status::not_found] > 0);
    std::cout << "summary: command.lines: " << count << " lines, " << endings[exit_status::success]
              << " done, " << endings[exit_status::usage] << " refused, "
              << endings[exit_status::not_found] << " not found\n";
}

TEST_CASE("a kernel that no pack has is reported before memory for its data is allocated") {
    fake::the_machine().expect({});
    for (auto const* const line :
         {"axpby n=2147483647", "layernorm_2d channels=2048 positions=1048575",
          "conv2d n=1024 c=64 h=2048 w=2048", "matmul m=1048576 n=1048576 k=1048576"}) {
        CAPTURE(line);
        std::vector<std::string_view> words = {"run", "--policy", "aot_only"};
        for (auto const word : std::views::split(std::string_view(line), ' ')) {
            words.emplace_back(word.begin(), word.end());
        }
        std::string told;
        auto const status = command::run(
            words, {.print = [](std::string_view) {},
                    .tell = [&](std::string_view part) { told += part; },
                    .is_interactive = false,
                    .open_driver = [] { return std::make_unique<cuda::driver>(fake::find); },
                    .program = {},
                    .memory_bytes = std::uint64_t{1} << 60});
        CAPTURE(told);
        CHECK(status == exit_status::not_found);
        fake::the_machine().calls.clear();
    }
}
