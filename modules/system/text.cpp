// Makes text safe to print.
// SPDX-License-Identifier: Apache-2.0
//
// Text from files, users and compilers may have control characters, by which a terminal can be
// steered. They and what is no valid UTF-8 are printed as escapes such as \x1b.
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

module spio.system;

namespace spio {

std::size_t character_bytes(std::string_view text) {
    auto const byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    auto const first = byte(0);
    if (first < 0x80) return text.empty() ? 0 : 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    // Invalid forms: longer than necessary, half of a surrogate pair, or beyond the last character.
    bool const is_wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                          (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
    return is_wrong ? 0 : size;
}

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        auto const size = character_bytes(text);
        auto const first = static_cast<unsigned char>(text.front());
        bool const is_control = size == 1 && (first < 0x20 || first == 0x7f);
        // U+0080 to U+009F steer terminals like the characters below 32.
        bool const is_wide_control =
            size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
        auto const character = text.substr(0, std::max<std::size_t>(size, 1));
        if ((size == 0 || is_control || is_wide_control) && first != '\n' && first != '\t') {
            for (char const hidden : character) {
                unsigned const byte = static_cast<unsigned char>(hidden);
                safe += {'\\', 'x', "0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
            }
        } else {
            safe += character;
        }
        text.remove_prefix(character.size());
    }
    return safe;
}

} // namespace spio
