// Reads the switches of the environment.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

module spio.system;

import spio.error;

namespace spio {

std::optional<bool> parse_switch(std::string_view text) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    for (auto const* on_word : {"on", "1", "true", "yes"}) {
        if (word == on_word) return true;
    }
    for (auto const* off_word : {"off", "0", "false", "no"}) {
        if (word == off_word) return false;
    }
    return {};
}

bool is_on(char const* variable, bool default_value) {
    auto const text = environment(variable);
    if (text.empty()) return default_value;
    if (auto const value = parse_switch(text)) return *value;
    throw error(error_kind::invalid, "read", variable,
                "'" + printable(text) + "' is neither on nor off");
}

} // namespace spio
