// Texts as the lines of their files, and errors in them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A span is a place
// in a text; a position names a file, a line and a column; a diagnostic is what the compiler says
// about one. A fragment is a part of a program that comes from one text.
module;

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
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
std::string printable(std::string_view text) {
    std::string result;
    for (char const c : text) result += c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    return result;
}

std::string name_of(position const& place) {
    return printable(place.file) + ":" + std::to_string(place.line) + ":" +
           std::to_string(place.column);
}

} // namespace

// The line with a caret below the column.
std::string position::excerpt() const {
    return "    " + printable(text) + "\n    " + std::string(mark, ' ') + "^\n";
}

std::string diagnostic::spelled() const {
    auto text = name_of(place) + ": " + rule + ": " + message + "\n" + place.excerpt();
    for (auto const& call : calls) {
        text += name_of(call) + ": called from here\n" + call.excerpt();
    }
    return text;
}

source_text::source_text(cuda_python::source text)
    : source(std::move(text)), parts{{0, source.name, source.first_line, source.first_column, 0}} {
    find_lines();
}

// All fragments as one text for the parser. Each part of it begins a line.
source_text::source_text(std::vector<fragment> const& fragments)
    : source{.name = fragments.at(0).source.name, .text = {}} {
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        auto const add = [&](std::string const& text, std::string name, int line, int column) {
            if (!source.text.empty() && !source.text.ends_with('\n')) source.text += '\n';
            auto const begin = static_cast<unsigned>(source.text.size());
            parts.push_back({begin, std::move(name), line, column, i});
            source.text += text;
        };
        auto const& [file, imports, globals] = fragments[i];
        if (!imports.empty()) add(imports, "imports of " + file.name, 1, 1);
        add(file.text, file.name, file.first_line, file.first_column);
    }
    find_lines();
}

void source_text::find_lines() {
    reader{this}.refuse_if(source.text.size() > greatest_size, {},
                           "text: a text has at most 64 MiB");
    for (std::size_t i = 0; i < source.text.size(); ++i) {
        if (source.text[i] == '\n') line_begins.push_back(static_cast<unsigned>(i + 1));
    }
}

text_part const& source_text::part_of(span location) const {
    return *std::prev(std::ranges::upper_bound(parts, location.begin, {}, &text_part::begin));
}

position source_text::position_of(span location) const {
    auto const& part = part_of(location);
    auto const number_of = [&](unsigned offset) {
        return std::ranges::upper_bound(line_begins, offset) - line_begins.begin();
    };
    auto const number = number_of(location.begin);
    auto const begin = line_begins[static_cast<std::size_t>(number) - 1];
    auto const line = std::string_view(source.text).substr(begin);
    auto const mark = location.begin - begin;
    // Of a long line, what is around the mark.
    constexpr unsigned margin = 60;
    auto const skipped = mark > margin ? mark - margin : 0;
    auto const shown = line.substr(0, line.find('\n')).substr(skipped, std::size_t(2) * margin);
    return {.file = part.file,
            .line = part.first_line + static_cast<int>(number - number_of(part.begin)),
            .column = part.first_column + static_cast<int>(mark),
            .text = std::string(shown),
            .mark = mark - skipped};
}

// A word of a message: of a long one, such as a name that a user wrote, the first characters.
static std::string shortened(std::string const& word) {
    constexpr std::size_t most = 100;
    return word.size() <= most ? word : word.substr(0, most) + "...";
}

void reader::refuse(span location, std::string_view message,
                    std::initializer_list<std::string> words) const {
    auto const rule = message.substr(0, message.find(": "));
    diagnostic problem = {std::string(rule), {}, text->position_of(location), calls};
    std::ranges::reverse(problem.calls);
    auto const* word = words.begin();
    for (char const c : message.substr(rule.size() + 2)) {
        problem.message += c == '%' ? shortened(*word++) : std::string(1, c);
    }
    throw program_error(std::move(problem));
}

std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (char const c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > 40 ? "...'" : "'");
}

} // namespace spio::cuda_python
