// Texts, the tokens of them, and the messages about them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A token is a word,
// number or sign of a text; a span is a place in it. A fragment is a part of a program that comes
// from one text.
module;

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:text;

import :types;

namespace spio::cuda_python {

// A part of the source, in bytes.
struct span {
    std::size_t begin = 0, end = 0;
};
// A part of a text that comes from a file of its own, or from lines of its own.
struct text_part {
    std::size_t begin;
    std::string file;
    int first_line, first_column;
    std::size_t fragment; // whose meanings its names have
};
// The texts of fragments, one behind the other. Each begins a line.
struct source_text {
    std::string characters = {};
    std::vector<text_part> parts = {}; // in the order of their begins

    explicit source_text(std::vector<fragment> const&);
    text_part const& part_of(span) const;
    std::string_view text(span place) const {
        return {&characters[place.begin], place.end - place.begin};
    }
    position position_of(span) const;
};

std::string in_quotes(std::string_view);     // for messages: short and printable
std::string line_directive(position const&); // of C++, whatever the file's name is
// The words of a message.
inline std::string words_of(std::string_view text) { return std::string(text); }
inline std::string words_of(std::integral auto number) { return std::to_string(number); }
inline std::string words_of(scalar type) { return name_of(type); }
inline std::string words_of(type const& type) { return name_of(type); }

// What reads a text, and refuses the program for a place in it. A message is "rule: message", with
// words for the signs %, and for '%' words in quotes that in_quotes() makes; the rule is the
// section of docs/cuda_python.md that the program breaks.
struct reader {
    source_text const* text;
    // The calls of device functions that led to the place, outermost first.
    std::vector<std::pair<source_text const*, span>> calls = {};

    [[noreturn]] void refuse(span, std::string_view message,
                             std::initializer_list<std::string> words = {}) const;
    template <class... Words>
    void refuse_if(bool is_wrong, span place, std::string_view message,
                   Words const&... words) const {
        if (is_wrong) refuse(place, message, {words_of(words)...});
    }
};

// Counts the calls of a function to itself that are open, and refuses too many.
struct level {
    int& depth;

    level(reader const& reader, int& depth, int greatest, span place, std::string_view message)
        : depth(depth) {
        reader.refuse_if(++depth > greatest, place, message);
    }
    level(level const&) = delete;
    ~level() { --depth; }
};

enum class token_kind : unsigned char { name, number, string, sign, newline, indent, dedent, end };
// A token of a program; the end of a line and a change of indentation are tokens too.
struct token {
    token_kind kind;
    span location;
};
std::vector<token> tokens_of(source_text const&, span part);

} // namespace spio::cuda_python
