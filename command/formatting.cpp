// Formats text for people.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes, times and numbers get three digits and a unit; text of the user is quoted without control
// characters; a word that is not known is compared with those that are.
module;

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command_line;

import spio.system;

namespace spio::command {

namespace {

// The least number of insertions, removals, changes and swaps of neighbours that turn one word into
// the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Row i of the usual table has the distances of a's first i characters to each start of b.
    std::vector<std::size_t> row_before_last, last_row, row;
    for (std::size_t j = 0; j <= b.size(); ++j) last_row.push_back(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row = {i};
        for (std::size_t j = 1; j <= b.size(); ++j) {
            auto const change = last_row[j - 1] + (a[i - 1] != b[j - 1]);
            row.push_back(std::min({change, last_row[j] + 1, row[j - 1] + 1}));
            bool const swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swaps) row[j] = std::min(row[j], row_before_last[j - 2] + 1);
        }
        row_before_last = std::exchange(last_row, std::move(row));
    }
    return last_row.back();
}

} // namespace

std::string quote(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string line;
    while (!text.empty() && line.size() < most) {
        auto const size = std::max<std::size_t>(character_bytes(text), 1);
        line += text.front() == '\n'   ? "\\n"
                : text.front() == '\t' ? "\\t"
                                       : printable(text.substr(0, size));
        text.remove_prefix(size);
    }
    return "'" + line + (text.empty() ? "'" : "…'");
}

std::string_view nearest(std::string_view word, std::span<std::string_view const> known) {
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) return {};
    std::string_view best;
    // At most about a third of the word's characters may be wrong.
    std::size_t least = word.size() / 3 + 2;
    for (auto const candidate : known) {
        auto const distance = edit_distance(word, candidate);
        if (distance < least) best = candidate;
        least = std::min(distance, least);
    }
    if (!best.empty()) return best;
    auto const longer = std::ranges::find_if(
        known, [&](std::string_view candidate) { return candidate.starts_with(word); });
    return longer == known.end() ? std::string_view() : *longer;
}

std::string suggestion(std::string_view word, std::span<std::string_view const> known) {
    auto const best = nearest(word, known);
    return best.empty() ? "" : " (did you mean " + quote(best) + "?)";
}

std::string format_number(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    // Large numbers below 1e15 are written without an exponent.
    bool const is_large = std::abs(number) >= 1 && std::abs(number) < 1e15;
    if (is_large && std::string_view(text).find('e') != std::string_view::npos) {
        std::snprintf(text, sizeof text, "%.0f", number);
    }
    return text;
}

std::string format_bytes(std::uint64_t bytes) {
    if (bytes < 10000) return format_count(bytes, "byte");
    constexpr std::pair<double, char const*> units[] = {{1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}};
    auto const count = static_cast<double>(bytes);
    auto const unit = std::ranges::find_if(units, [&](auto const& u) { return count >= u.first; });
    return format_number(count / unit->first) + unit->second;
}

std::string format_milliseconds(double milliseconds) {
    if (milliseconds >= 1000) return format_number(milliseconds / 1000) + " s";
    if (milliseconds >= 0.1) return format_number(milliseconds) + " ms";
    return format_number(milliseconds * 1000) + " us";
}

std::string format_count(std::uint64_t count, std::string_view noun) {
    auto text = std::to_string(count) + " " + std::string(noun);
    if (count == 1) return text;
    if (noun.ends_with("y")) return text.substr(0, text.size() - 1) + "ies";
    return text + "s";
}

std::string format_list(std::span<std::string_view const> words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? last : ", ";
        text += words[i];
    }
    return text;
}

std::string padded(std::string text, std::size_t width) {
    text.append(text.size() < width ? width - text.size() : 1, ' ');
    return text;
}

} // namespace spio::command
