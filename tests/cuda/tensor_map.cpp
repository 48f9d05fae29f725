// What the driver is told of a tensor map, which it keeps in words that are its own.
// SPDX-License-Identifier: Apache-2.0
//
// The fake driver stands for CUDA's, and keeps in a map what it was told.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

import spio.cuda;
import spio.fake_driver;

using namespace spio::cuda;

TEST_CASE("a tensor map has the element, the swizzle and the promotion of its plan") {
    driver const driver(fake::find);
    context const context(driver.device(0));
    memory const tensor(context, 4096);
    auto const word = [&](spio::tensor_map_plan const& plan, std::size_t number) {
        auto const words = encode(context, plan, tensor);
        std::uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<char const*>(&words) + 8 * number, sizeof value);
        return value;
    };
    spio::tensor_map_plan plan = {};
    plan.rank = 2;
    plan.sizes[0] = 24, plan.sizes[1] = 9;
    plan.strides[0] = 2, plan.strides[1] = 64;
    plan.box[0] = 8, plan.box[1] = 3;
    // The stride of the innermost dimension is not told, and elements are not skipped.
    std::uint64_t const told[] = {tensor.address(), 24, 9, 64, 8, 3, 1};
    for (std::size_t i = 0; i < std::size(told); ++i) CHECK(word(plan, i) == told[i]);
    // What the driver calls sizes of elements, swizzles and promotions.
    int number = 0;
    for (int const bytes : {1, 2, 4, 8}) {
        plan.element_bytes = bytes;
        CHECK(word(plan, 7) == (bytes == 8 ? 4U : static_cast<unsigned>(number)));
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
