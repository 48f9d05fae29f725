// Tensor maps that are valid, and the error message for each that is not.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor. This one is read by the
// host device, a GPU that is simulated on the CPU.
#include <doctest/doctest.h>

#include "sim/tensor_map.h"

#include <cstring>
#include <string>
#include <vector>

using namespace spio::sim;
using std::uint32_t;
using std::uint64_t;

namespace {

alignas(64) unsigned char memory[128];

// A valid tensor, of which a test changes one field.
struct request {
    void* base = memory;
    int element_bytes = 2;
    std::vector<uint64_t> sizes = {64, 9, 8};
    std::vector<uint64_t> strides = {128, 1152};
    std::vector<uint32_t> box = {32, 4, 2};
    swizzle_span swizzle = swizzle_span::bytes_64;

    std::string encode(tensor_map& map) const {
        return map.encode(base, element_bytes, sizes, strides, box, swizzle);
    }
};

// The error of a request of which `change` has changed a field; empty if there is none.
template <class Change> std::string error_of(Change change) {
    request r;
    change(r);
    tensor_map map;
    std::memset(&map, 0x5a, sizeof map);
    tensor_map const original = map;
    std::string const error = r.encode(map);
    // An invalid tensor leaves the map as it was.
    if (!error.empty()) CHECK(std::memcmp(&map, &original, sizeof map) == 0);
    return error;
}

} // namespace

TEST_CASE("a map that is right has its fields, and ones for the dimensions that it lacks") {
    tensor_map map;
    REQUIRE(request().encode(map) == "");
    CHECK(map.base == memory);
    CHECK(map.rank == 3);
    CHECK(map.element_bytes == 2);
    CHECK(map.strides[0] == 2);
    CHECK(map.strides[2] == 1152);
    CHECK(map.sizes[1] == 9);
    CHECK(map.sizes[3] == 1);
    CHECK(map.box[4] == 1);
    CHECK(map.box_bytes() == 2 * 32 * 4 * 2);
}

TEST_CASE("each requirement of the driver has its sentence") {
    auto const two_32 = uint64_t(1) << 32;
    auto const two_40 = uint64_t(1) << 40;
    CHECK(error_of([](auto& r) { r.sizes.clear(); }) == "The rank is 0, which is not from 1 to 5.");
    CHECK(error_of([](auto& r) { r.sizes.resize(6, 1); }) ==
          "The rank is 6, which is not from 1 to 5.");
    CHECK(error_of([](auto& r) { r.strides.pop_back(); }) ==
          "Rank 3 needs as many box sizes, and strides for all dimensions but the innermost.");
    CHECK(error_of([](auto& r) { r.box.push_back(1); }) ==
          "Rank 3 needs as many box sizes, and strides for all dimensions but the innermost.");
    CHECK(error_of([](auto& r) { r.element_bytes = 3; }) ==
          "The element size is 3 bytes, which is not 1, 2, 4 or 8.");
    CHECK(error_of([](auto& r) { r.element_bytes = 16; }) ==
          "The element size is 16 bytes, which is not 1, 2, 4 or 8.");
    CHECK(error_of([](auto& r) { r.base = nullptr; }) == "The address of the tensor is null.");
    for (int i = 1; i < 16; ++i) {
        CHECK(error_of([&](auto& r) { r.base = memory + i; }) ==
              "The address of the tensor is not a multiple of 16.");
    }
    CHECK(error_of([](auto& r) { r.base = memory + 16; }) == "");
    for (std::size_t d = 0; d < 3; ++d) {
        auto const dimension = " of dimension " + std::to_string(d) + " is ";
        for (uint64_t const size : {uint64_t(0), uint64_t(1), two_32, two_32 + 1}) {
            bool const is_possible = size == 1 || size == two_32;
            CHECK(error_of([&](auto& r) { r.sizes[d] = size; }) ==
                  (is_possible ? ""
                               : "The size" + dimension + std::to_string(size) +
                                     ", which is not from 1 to 2^32."));
        }
        for (unsigned const box : {0U, 257U, 0xffffffffU}) {
            CHECK(error_of([&](auto& r) { r.box[d] = box; }) ==
                  "The box size" + dimension + std::to_string(box) +
                      ", which is not from 1 to 256.");
        }
        if (d > 0) CHECK(error_of([&](auto& r) { r.box[d] = 1; }) == "");
        if (d > 0) CHECK(error_of([&](auto& r) { r.box[d] = 256; }) == "");
        for (uint64_t const stride : {uint64_t(120), two_40 - 16, two_40}) {
            if (d == 0) continue;
            auto const text = "The stride" + dimension + std::to_string(stride) + " bytes, not ";
            CHECK(error_of([&](auto& r) { r.strides[d - 1] = stride; }) ==
                  (stride == 120      ? text + "a multiple of 16."
                   : stride == two_40 ? text + "below 2^40."
                                      : ""));
        }
    }
    CHECK(error_of([](auto& r) { r.box[0] = 9; }) ==
          "A row of the box is 18 bytes, not a multiple of 16.");
    CHECK(error_of([](auto& r) { r.box[0] = 40; }) ==
          "A row of the box is 80 bytes, not the swizzle's span of 64.");
    CHECK(error_of([](auto& r) {
              r.swizzle = swizzle_span::none;
              r.box = {256, 256, 2};
          }) == "The box is 262144 bytes, more than any shared memory.");
}

TEST_CASE("a row of the box is as long as its swizzle's span") {
    for (auto swizzle : {swizzle_span::bytes_32, swizzle_span::bytes_64, swizzle_span::bytes_128}) {
        auto const span = static_cast<uint32_t>(swizzle);
        for (int element_bytes : {1, 2, 4, 8}) {
            for (uint32_t bytes = 16; bytes <= 256; bytes += 16) {
                auto const error = error_of([&](auto& r) {
                    r.swizzle = swizzle;
                    r.element_bytes = element_bytes;
                    r.box[0] = bytes / static_cast<uint32_t>(element_bytes);
                });
                CHECK((error == "") == (bytes == span));
            }
        }
    }
}
