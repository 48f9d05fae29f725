// Which images the host device loads, and the tensor maps that its copies read.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. An image is a compiled kernel. A tensor map tells
// bulk copies which boxes of a tensor they copy.
#include "spio/launch_values.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
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
        CHECK(reason.empty() == (rank >= 1 && rank <= 5));
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
