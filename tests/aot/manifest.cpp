// The lines of a manifest, each of which names a kernel to compile by its family and its problem.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

import spio.aot;

namespace {

// The lines that name kernels, each with its number, as one text: 1:axpby n=1;
std::string lines(std::string_view manifest) {
    std::string text;
    for (auto const& each : spio::aot::lines_of(manifest)) {
        text += std::to_string(each.number) + ":" + each.text + ";";
    }
    return text;
}

} // namespace

TEST_CASE("lines are counted from 1, without comments and blanks") {
    CHECK(lines("") == "");
    CHECK(lines("\n \n# nothing\n\t# nothing\n") == "");
    CHECK(lines("axpby n=1") == "1:axpby n=1;");
    CHECK(lines("# what\n\n  axpby n=1\t# short\r\nb\r\n") == "3:axpby n=1;4:b;");
}
