// Whether a text has another in it: for checks of messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace spio::test {

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace spio::test
