// Writes and reads records of images.
// SPDX-License-Identifier: Apache-2.0
module;

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

module spio.aot;

import spio.image;
import :record;

namespace spio::aot {

std::string record::spelled() const {
    return asked + "made: " + std::to_string(static_cast<unsigned>(kind)) + " " +
           std::to_string(plain_bytes) + " " + std::to_string(checksum) + "\n";
}

bool record::read(std::string_view text) {
    if (!text.starts_with(asked + "made: ")) return false;
    text.remove_prefix(asked.size() + 6);
    std::uint64_t numbers[3] = {};
    for (auto& number : numbers) {
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (wrong != std::errc()) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.empty()) text.remove_prefix(1);
    }
    kind = static_cast<image_kind>(numbers[0]);
    plain_bytes = numbers[1];
    checksum = numbers[2];
    return text.empty();
}

} // namespace spio::aot
