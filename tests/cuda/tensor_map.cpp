// The arguments with which the driver is asked to encode a tensor map.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor; its plan says all but the
// address. CUDA's driver encodes it in a form of its own; the fake driver keeps the arguments in
// it: address, sizes, a stride, sides of a box, a step, element, swizzle and promotion.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <tuple>

import spio.cuda;
import spio.fake_driver;

using namespace spio::cuda;

TEST_CASE("a tensor map has the element, the swizzle and the promotion of its plan") {
    driver const driver(fake::find);
    context const context(driver.device(0));
    memory const tensor(context, 4096);
    // One of the arguments, by its number.
    auto const word = [&](spio::tensor_map_plan const& plan, std::size_t number) {
        auto const words = encode(context, plan, tensor);
        std::uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<char const*>(&words) + 8 * number, sizeof value);
        return value;
    };
    spio::tensor_map_plan plan = {};
    plan.rank = 2;
    plan.element_bytes = 1;
    plan.sizes[0] = 24, plan.sizes[1] = 9;
    plan.strides[0] = 2, plan.strides[1] = 64;
    plan.box[0] = 8, plan.box[1] = 3;
    // The stride of the innermost dimension is no argument, and elements are not skipped.
    std::uint64_t const expected[] = {tensor.address(), 24, 9, 64, 8, 3, 1};
    for (std::size_t i = 0; i < std::size(expected); ++i) CHECK(word(plan, i) == expected[i]);
    // The driver's numbers for sizes of elements, swizzles and promotions (bytes fetched into L2).
    int number = 0;
    for (int const bytes : {1, 2, 4, 8}) {
        plan.element_bytes = bytes;
        CHECK(word(plan, 7) == (bytes == 8 ? 4U : static_cast<unsigned>(number))); // 3 is INT32
        ++number;
    }
    number = 0;
    for (int const bytes : {0, 32, 64, 128}) {
        plan.swizzle = bytes;
        CHECK(word(plan, 8) == static_cast<unsigned>(number++));
    }
    number = 0;
    for (int const bytes : {0, 64, 128, 256}) {
        plan.fetched = bytes;
        CHECK(word(plan, 9) == static_cast<unsigned>(number++));
    }
}

TEST_CASE("a tensor map's error has all numbers of its plan, and five dimensions are the most") {
    driver const driver(fake::find);
    context const context(driver.device(0));
    memory const tensor(context, 4096);
    spio::tensor_map_plan plan = {.rank = 0, .element_bytes = 2};
    for (int d = 0; d < 5; ++d) {
        plan.sizes[d] = 10 + d, plan.strides[d] = 20 + d, plan.box[d] = 30 + d;
    }
    plan.swizzle = 64;
    auto const message = [&](int rank) -> std::string {
        plan.rank = rank;
        try {
            encode(context, plan, tensor);
        } catch (spio::error const& e) {
            return e.what();
        }
        return "none";
    };
    for (int rank = 2; rank <= 5; ++rank) CHECK(message(rank) == "none");
    auto const numbers = [](int first, int rank) {
        std::string text;
        for (int d = 0; d < rank; ++d) text += (d == 0 ? "" : " x ") + std::to_string(first + d);
        return text;
    };
    // The fake driver, as no other, refuses one dimension.
    for (auto const& [rank, listed, reason] :
         {std::tuple{-1, 0, ": no rank from 1 to 5"},
          {0, 0, ": no rank from 1 to 5"},
          {6, 5, ": no rank from 1 to 5"},
          {1, 1, " on device 0: CUDA_ERROR_OF_THE_FAKE: words of the fake"}}) {
        CHECK(message(rank) == "cuTensorMapEncodeTiled for a tensor of " + numbers(10, listed) +
                                   " elements of 2 bytes, " + numbers(20, listed) +
                                   " bytes apart, in boxes of " + numbers(30, listed) +
                                   ", swizzle 64" + reason);
    }
}

TEST_CASE("a number of bytes that the driver has no name for is refused") {
    driver const driver(fake::find);
    context const context(driver.device(0));
    memory const tensor(context, 4096);
    auto const reason = [&](int element_bytes, int swizzle, int fetched) -> std::string {
        spio::tensor_map_plan plan = {.rank = 2, .element_bytes = element_bytes};
        plan.swizzle = swizzle;
        plan.fetched = fetched;
        try {
            encode(context, plan, tensor);
        } catch (spio::error const& e) {
            CHECK(e.kind() == spio::error_kind::invalid);
            return e.reason();
        }
        return "none";
    };
    CHECK(reason(2, 64, 128) == "none");
    for (int const bytes : {-1, 0, 3, 16}) {
        CHECK(reason(bytes, 64, 128) ==
              "an element is " + std::to_string(bytes) + " bytes, and may be 1, 2, 4 or 8");
    }
    for (int const bytes : {-1, 16, 48, 256}) {
        CHECK(reason(2, bytes, 128) ==
              "the swizzle is " + std::to_string(bytes) + " bytes, and may be 0, 32, 64 or 128");
    }
    for (int const bytes : {-1, 32, 512}) {
        CHECK(reason(2, 64, bytes) == "what the L2 cache fetches is " + std::to_string(bytes) +
                                          " bytes, and may be 0, 64, 128 or 256");
    }
}
