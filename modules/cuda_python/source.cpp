// Texts as the lines of their files, and errors in them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A span is a place
// in a text; a position names a file, a line and a column; a diagnostic is what the compiler says
// about one. A fragment is a part of a program that comes from one text.
module;

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :tree;

namespace spio::cuda_python {

program_error::program_error(cuda_python::diagnostic problem)
    : error(error_kind::invalid, "compile", problem.place.file, problem.message, problem.spelled()),
      value(std::move(problem)) {}

namespace {

constexpr std::size_t greatest_size = std::size_t(1) << 26;

// The text with a ? for each byte that is no printable ASCII, of the same length.
std::string printable(std::string_view text, char tab = ' ') {
    std::string result;
    for (char const c : text) result += c >= ' ' && c <= '~' ? c : c == '\t' ? tab : '?';
    return result;
}
// The text, or the first characters of a long one, such as a name that a user wrote.
std::string shortened(std::string const& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most) + "...";
}
// The same as words in quotes.
std::string quotable(std::string_view text) {
    constexpr std::size_t most = 40;
    return shortened(printable(text.substr(0, most + 1), '?'), most);
}
// The text of a string literal: whatever is not a plain letter is an octal escape.
std::string escaped(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./- ";
    std::string result;
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        char letter[5] = {c};
        if (plain.find(c) == std::string_view::npos) std::snprintf(letter, 5, "\\%03o", code);
        result += letter;
    }
    return result;
}

} // namespace

std::string line_directive(position const& place) {
    auto const number = std::to_string(std::max(place.line, 1));
    return "\n#line " + number + " \"" + escaped(place.file) + "\"";
}

std::string in_quotes(std::string_view text) { return "'" + quotable(text) + "'"; }

std::string position::excerpt() const {
    return "    " + printable(text) + "\n    " + std::string(mark, ' ') + "^\n";
}

std::string diagnostic::spelled() const {
    auto const start = [](position const& place) {
        return printable(place.file) + ":" + std::to_string(place.line) + ":" +
               std::to_string(place.column) + ": ";
    };
    auto text = start(place) + rule + ": " + message + "\n" + place.excerpt();
    for (auto const& call : calls) text += start(call) + "called from here\n" + call.excerpt();
    return text;
}

source_text::source_text(std::vector<fragment> const& fragments) {
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        auto const add = [&](source const& part) {
            if (!characters.empty() && !characters.ends_with('\n')) characters += '\n';
            parts.push_back({characters.size(), part.name, part.first_line, part.first_column, i});
            characters += part.text;
        };
        auto const& [file, imports, globals] = fragments[i];
        if (!imports.empty()) add({"imports of " + file.name, imports});
        add(file);
    }
    reader{this}.refuse_if(characters.size() > greatest_size, /*place=*/{},
                           "text: a text has at most 64 MiB");
}

text_part const& source_text::part_of(span place) const {
    return *std::prev(std::ranges::upper_bound(parts, place.begin, {}, &text_part::begin));
}

position source_text::position_of(span place) const {
    auto const& part = part_of(place);
    auto const preceding = std::string_view(characters).substr(0, place.begin);
    auto const begin = preceding.rfind('\n') + 1; // 0 in the first line
    auto const line = std::string_view(characters).substr(begin);
    auto const column = static_cast<int>(place.begin - begin);
    // Of a long line, what is around the mark.
    constexpr int margin = 60;
    auto const skipped = static_cast<std::size_t>(std::max(column - margin, 0));
    return {.file = part.file,
            .line = part.first_line +
                    static_cast<int>(std::ranges::count(preceding.substr(part.begin), '\n')),
            .column = part.first_column + column,
            .text = std::string(line.substr(0, line.find('\n')).substr(skipped, 2 * margin)),
            .mark = place.begin - begin - skipped};
}

void reader::refuse(span place, std::string_view message,
                    std::initializer_list<std::string> words) const {
    auto const rule = message.substr(0, message.find(": "));
    diagnostic problem = {std::string(rule), {}, text->position_of(place), {}};
    for (auto const& [caller, call] : calls | std::views::reverse) {
        problem.calls.push_back(caller->position_of(call));
    }
    auto const* word = words.begin();
    auto& result = problem.message;
    for (char const c : message.substr(rule.size() + 2)) {
        if (c != '%') {
            result += c;
        } else {
            result += result.ends_with('\'') ? quotable(*word++) : shortened(*word++, /*most=*/100);
        }
    }
    throw program_error(std::move(problem));
}

} // namespace spio::cuda_python
