// Finds words.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.command_line;

namespace spio::command {

std::size_t character_bytes(std::string_view text) {
    auto const byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    auto const first = byte(0);
    if (first < 0x80) return text.empty() ? 0 : 1;
    std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    // Neither longer than need be, nor half of a pair, nor beyond the last.
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return size;
}

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        auto const size = character_bytes(text);
        auto const c = static_cast<unsigned char>(text.front());
        // Those of two bytes that begin so steer terminals too.
        bool const steers = (size == 1 && (c < 0x20 || c == 0x7f) && c != '\n' && c != '\t') ||
                            (size == 2 && c == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
        auto const taken = std::max<std::size_t>(size, 1);
        if (size == 0 || steers) {
            for (char const each : text.substr(0, taken)) {
                safe += "\\x" + hexadecimal(static_cast<unsigned char>(each));
            }
        } else {
            safe += text.substr(0, taken);
        }
        text.remove_prefix(taken);
    }
    return safe;
}

std::string hexadecimal(unsigned char byte) {
    constexpr char digits[] = "0123456789abcdef";
    return {digits[byte >> 4], digits[byte & 15]};
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string line;
    auto rest = text;
    while (!rest.empty() && line.size() < most) {
        auto const size = std::max<std::size_t>(character_bytes(rest), 1);
        line += rest.front() == '\n'   ? "\\n"
                : rest.front() == '\t' ? "\\t"
                                       : printable(rest.substr(0, size));
        rest.remove_prefix(size);
    }
    return "'" + line + (rest.empty() ? "'" : "…'");
}

namespace {

// Insertions, removals, changes and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, last, next;
    for (std::size_t j = 0; j <= b.size(); ++j) last.push_back(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next = {i};
        for (std::size_t j = 1; j <= b.size(); ++j) {
            auto const change = last[j - 1] + (a[i - 1] != b[j - 1]);
            next.push_back(std::min({change, last[j] + 1, next[j - 1] + 1}));
            bool const swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swaps) next[j] = std::min(next[j], before[j - 2] + 1);
        }
        before = std::exchange(last, std::move(next));
    }
    return last.back();
}

} // namespace

std::string_view nearest(std::string_view word, std::span<std::string_view const> known) {
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) return {};
    std::string_view best;
    // A third of it may be wrong.
    std::size_t least = word.size() / 3 + 2;
    for (auto const each : known) {
        auto const d = distance(word, each);
        if (d < least) best = each;
        least = std::min(d, least);
    }
    if (best.empty()) {
        auto const longer = std::ranges::find_if(
            known, [&](std::string_view each) { return each.starts_with(word); });
        if (longer != known.end()) best = *longer;
    }
    return best;
}

std::string suggestion(std::string_view word, std::span<std::string_view const> known) {
    auto const best = nearest(word, known);
    return best.empty() ? "" : " (did you mean " + in_quotes(best) + "?)";
}

unsigned number_of(std::string_view text, std::string_view called) {
    unsigned number = 0;
    auto const last = text.data() + text.size();
    auto const [end, wrong] = std::from_chars(text.data(), last, number);
    if (wrong != std::errc() || end != last) {
        throw failure(exit_code::usage, std::string(called) + " is " + in_quotes(text) +
                                            ", but must be a whole number from 0 to 4294967295");
    }
    return number;
}

std::string spelled(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    // No exponent for numbers that people read.
    if (std::string_view(text).find('e') != std::string_view::npos && number < 1e15) {
        std::snprintf(text, sizeof text, "%.0f", number);
    }
    return text;
}

std::string spelled_bytes(std::uint64_t bytes) {
    if (bytes < 10000) return counted(bytes, "byte");
    constexpr std::pair<double, char const*> units[] = {{1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}};
    for (auto const& [unit, name] : units) {
        auto const count = static_cast<double>(bytes) / unit;
        if (count >= 1) return spelled(count) + name;
    }
    return {};
}

std::string spelled_milliseconds(double milliseconds) {
    if (milliseconds >= 1000) return spelled(milliseconds / 1000) + " s";
    if (milliseconds >= 0.1) return spelled(milliseconds) + " ms";
    return spelled(milliseconds * 1000) + " us";
}

std::string counted(std::uint64_t count, std::string_view what) {
    bool const is_one = count == 1;
    auto words = std::to_string(count) + " " + std::string(what);
    if (is_one) return words;
    if (what.ends_with("y")) return words.substr(0, words.size() - 1) + "ies";
    return words + "s";
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

} // namespace spio::command
