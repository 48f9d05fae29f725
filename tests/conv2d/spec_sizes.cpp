// Sizes of grouped convolutions that do not fit into 64 bits.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

// The sizes wrap to 0 in 64 bits, so that arrays without elements would seem to fit.
TEST_CASE("the references refuse sizes that do not fit into 64 bits") {
    auto const problem = spio::parse<conv2d::problem>(
        "conv2d", "n=65536 c=65536 h=65536 w=65536 r=1 s=1 pad_h=0 pad_w=0");
    std::vector<unsigned short> const filter(65536 * 8, 0x3c00);
    CHECK_THROWS_AS(conv2d::reference(problem, /*input=*/{}, filter, /*bias=*/{}), spio::error);
    CHECK_THROWS_AS(conv2d::reference_gradients(problem, {}, {}), spio::error);
}
