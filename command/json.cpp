// Spells JSON.
// SPDX-License-Identifier: Apache-2.0
module;

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

module spio.command;

namespace spio::command {

json::json(double number) : spelled("null") {
    if (!std::isfinite(number)) return;
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    spelled.assign(digits, end);
}

json::json(std::string_view text) : spelled("\"") {
    while (!text.empty()) {
        auto const size = character_bytes(text);
        auto const c = static_cast<unsigned char>(text.front());
        if (size == 0) {
            spelled += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            spelled += {'\\', text.front()};
        } else if (c < 0x20 || c == 0x7f) {
            spelled += "\\u00" + hexadecimal(c);
        } else {
            spelled += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    spelled += '"';
}

json json::object(std::initializer_list<member> members) {
    json all = nullptr;
    all.spelled = "{";
    for (auto const& [name, value] : members) {
        if (all.spelled.size() > 1) all.spelled += ", ";
        all.spelled += json(name).spelled + ": " + value.spelled;
    }
    all.spelled += "}";
    return all;
}

json json::array(std::span<json const> elements) {
    json all = nullptr;
    all.spelled = "[";
    for (auto const& each : elements) {
        if (all.spelled.size() > 1) all.spelled += ", ";
        all.spelled += each.spelled;
    }
    all.spelled += "]";
    return all;
}

} // namespace spio::command
