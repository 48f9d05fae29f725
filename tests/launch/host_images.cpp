// Which images the host device loads, and the tensor maps that its copies read.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. An image is a compiled kernel. A tensor map tells
// bulk copies which boxes of a tensor they copy. A spec is what a kernel is compiled from. The plan
// of a tensor map says all but its address.
#include "spio/launch_values.h"

#include "tests/folder.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

import spio.axpby;
import spio.host;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// The reason for which f throws, or "nothing".
std::string refusal(std::function<void()> const& f) {
    try {
        f();
    } catch (error const& e) {
        return e.reason();
    }
    return "nothing";
}

} // namespace

TEST_CASE("the host device loads images for the host that have a function, and no others") {
    device const machine = host_device({host::allocate, host::release});
    kernels const kernels{machine};
    host::compiled_in const shipped;
    no_source const no_compiler;
    images const images(shipped, no_compiler, policy::aot_only);
    auto const good = images.find(axpby::specialize({.n = 64}, host_arch));
    auto const refusal_of = [&](image_kind kind, bool has_function) {
        image other = good;
        other.kind = kind;
        if (!has_function) other.run = {};
        return refusal([&] { kernels.prepare(other); });
    };
    CHECK(refusal_of(image_kind::host, false) == "it is no image for the host");
    CHECK(refusal_of(image_kind::cubin, true) == "it is no image for the host");
    CHECK(refusal_of(image_kind::host, true) == "nothing");
}

// The host device asks addr2line, or llvm-addr2line, for the lines of a fault, innermost first.
TEST_CASE("a fault names its innermost line outside of shared headers, found by a trusted tool") {
    device const machine = host_device({host::allocate, host::release});
    host::compiled_in const shipped;
    no_source const no_compiler;
    images const images(shipped, no_compiler, policy::aot_only);
    kernels const kernels{machine};
    stream const stream{machine};
    auto const kernel = kernels.load(images.find(axpby::specialize({.n = 64}, host_arch)));
    array<float> const x(machine, 64, "x"), y(machine, 32, "y");
    test::folder const first, second;
    std::string const path = std::getenv("PATH");
    setenv("PATH", (first.path + ":" + second.path).c_str(), 1);
    // What the report says after its sentence, if these tools print this.
    auto const place = [&] {
        try {
            stream.launch(kernel, {.a = 1,
                                   .x = x.as<axpby::scalars>(axpby::N(64)),
                                   .b = 1,
                                   .y = axpby::scalars(y.data(), axpby::N(64))});
        } catch (error const& e) {
            auto const text = e.reason();
            auto const begin = text.find("; in ");
            return begin == text.npos ? std::string("no line") : text.substr(begin + 5);
        }
        return std::string("no fault");
    };
    auto const write = [](std::string const& file, std::string const& output) {
        std::ofstream(file) << "#!/bin/sh\nprintf '" << output << "'\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    };
    CHECK(place() == "no line");
    auto const tool = second / "addr2line";
    struct {
        char const *output, *line;
    } const answers[] = {
        {"", "no line"},
        {"??:0\\n", "no line"},
        {"/p/axpby.cuh:51", "/p/axpby.cuh:51"},
        {"/k/spio/tensor.h:5\\n/p/axpby.cuh:51 (discriminator 2)\\n/p/b.cu:3\\n",
         "/p/axpby.cuh:51"},
        {"/k/spio/tile/a.h:3\\n", "no line"},
        {"/k/machine/x.h:1\\n/p/tile/a.h:7\\n", "/p/tile/a.h:7"},
        {"no number\\n/p/a.cu:?\\n/p/b.cu:0\\n/p/c.cu:\\n/p/d:e.cu:12\\n", "/p/d:e.cu:12"},
        {"/p/spio.cu:10\\n", "/p/spio.cu:10"}};
    for (auto const& [output, line] : answers) {
        write(tool, output);
        CAPTURE(output);
        CHECK(place() == line);
    }
    // The tool gets the program and an address in it.
    std::ofstream(tool) << "#!/bin/sh\nprintf '%s\\n' \"$1 $2 ${3##*/} $#:${4#0x}\"\n";
    CHECK(place().starts_with("-i -e test_launch 4:"));
    // What others may write is not run. The next tool that is known is asked.
    write(first / "addr2line", "/p/evil.cu:1");
    std::filesystem::permissions(first / "addr2line", std::filesystem::perms::all);
    CHECK(place() == "no line");
    write(second / "llvm-addr2line", "/p/good.cu:2");
    CHECK(place() == "/p/good.cu:2");
    write(first / "addr2line", "/p/first.cu:3");
    CHECK(place() == "/p/first.cu:3");
    setenv("PATH", path.c_str(), 1);
}

TEST_CASE("a tensor map of the host has each size, stride and side of a box of its plan") {
    alignas(128) static unsigned char memory[4096];
    // What the host's tensor map has in memory.
    struct {
        void* base;
        std::uint64_t sizes[5], strides[5];
        std::uint16_t box[5];
        std::uint8_t rank, element_bytes;
    } map;
    for (int rank = 0; rank <= 6; ++rank) {
        tensor_map_plan plan = {.rank = rank, .element_bytes = 2};
        for (int i = 0; i < 5; ++i) {
            plan.sizes[i] = 8 * (i + 1);
            plan.strides[i] = i == 0 ? 2 : 64 * (i + 1);
            plan.box[i] = i == 0 ? 8 : i;
        }
        tensor_map_words words = {};
        auto const reason = host::encode(plan, memory, words);
        CAPTURE(rank);
        CAPTURE(reason);
        CHECK(reason == (rank >= 1 && rank <= 5 ? "" : "its rank is not from 1 to 5"));
        if (!reason.empty()) continue;
        std::memcpy(&map, &words, sizeof map);
        CHECK(map.base == memory);
        CHECK(map.rank == rank);
        CHECK(map.element_bytes == 2);
        for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
            CHECK(map.sizes[i] == static_cast<std::uint64_t>(plan.sizes[i]));
            CHECK(map.strides[i] == static_cast<std::uint64_t>(plan.strides[i]));
            CHECK(map.box[i] == plan.box[i]);
        }
    }
}
